"""The log of a database: its summary is asked for whenever it has grown by a part."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from store.backends import open_backend
from store.backends.postgres import log as module
from store.backends.postgres.backend import PostgresBackend
from tests.store.factories import NOW

LONG, MUCH = timedelta(days=30), 10**9
Log = Callable[..., None]


@pytest.fixture
def add(url: str) -> Log:
    """Adds entries to the log, as they would have been some days ago."""

    def add(*names: str, days: float = 0, **more: object) -> None:
        backend = open_backend(url, lambda: NOW - timedelta(days=days))
        for name in names:
            backend.log.append({"type": name, **more})
        backend.release()

    return add


def _types(backend: PostgresBackend) -> list[str]:
    return [json.loads(line)["type"] for line in backend.log.lines()[0]]


def _recall(*ids: str) -> dict[str, object]:
    return {
        "timestamp": "2026-03-01T00:00:00.000Z",
        "sessionId": "s",
        "observationIds": [*ids],
        "about": [*ids],
    }


def test_what_is_old_goes_and_where_the_log_begins_is_kept(
    backend: PostgresBackend, other: PostgresBackend, add: Log
) -> None:
    add("oldest", "old", days=40)
    begins = backend.log.stamp().end
    add("yesterday", days=2)
    add("today")
    assert other.log.stamp().begin == 0
    assert backend.log.settle(NOW, LONG, MUCH) == 2
    assert _types(other) == ["yesterday", "today"]
    assert other.log.stamp().begin == begins
    assert backend.log.settle(NOW, LONG, MUCH) == 0


def test_what_goes_stands_in_the_summary_which_all_read(
    backend: PostgresBackend, other: PostgresBackend, add: Log
) -> None:
    add("recalled", days=40, **_recall("one"))
    add("recalled", days=2, **_recall("one", "two"))
    assert other.log.summary().until == 0
    backend.log.settle(NOW, LONG, MUCH)
    assert len(_types(other)) == 1
    summary = other.log.summary()
    assert summary.until == backend.log.stamp().end
    assert [it.count for it in summary.recalls("one")] in ([2], [1, 1])
    assert [it.count for it in summary.recalls("two")] == [1]


def test_nothing_goes_that_the_summary_has_not(
    backend: PostgresBackend, add: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 1)
    add("recalled", days=40, **_recall("one"))
    add("recalled", days=40, **_recall("two"))
    add("today", days=2)
    assert backend.log.settle(NOW, LONG, MUCH) == 1
    assert _types(backend) == ["recalled", "today"]
