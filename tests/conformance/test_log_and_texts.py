"""The activity log and the named texts beside the records."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta

import pytest

from store.action import Action
from store.backends import open_backend
from store.backends.activity import read_activity
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import NotFound
from store.operations.journal import operation_ids
from store.operations.plan import Plan
from store.operations.write_ahead import begin
from tests.store.factories import NOW

PLAN = Plan(Action("edit"))


def test_the_log_is_read_on_from_where_it_was_left(backend: Backend, other: Backend) -> None:
    assert backend.log.lines() == ([], 0)
    empty = backend.log.stamp()
    _log(backend, "one")
    first, end = other.log.lines()
    assert [json.loads(line)["type"] for line in first] == ["one"]
    assert other.log.stamp().end == end > empty.end
    _log(backend, "two")
    assert [it["type"] for it in read_activity(other.log, end)[0]] == ["two"]
    assert other.log.lines(other.log.lines()[1])[0] == []


def test_the_stamp_of_the_log_tells_whether_there_is_more(backend: Backend) -> None:
    _log(backend, "one")
    stamp = backend.log.stamp()
    assert backend.log.stamp() == stamp
    _log(backend, "two \ud800 \n")
    assert backend.log.stamp() != stamp


@pytest.mark.parametrize("kind", list(TextKind))
def test_a_text_is_kept_by_kind_and_name(backend: Backend, other: Backend, kind: TextKind) -> None:
    with backend.locked():
        backend.texts.keep(kind, "a-1", b"\xff one")
    backend.texts.keep(kind, "b", b"two")
    assert other.texts.read(kind, "a-1") == b"\xff one"
    assert sorted(other.texts.names(kind)) == ["a-1", "b"]
    backend.texts.keep(kind, "b", b"three")
    assert other.texts.read(kind, "b") == b"three"
    other.texts.remove(kind, "a-1")
    other.texts.remove(kind, "a-1")
    assert backend.texts.names(kind) == ["b"]
    assert all(not backend.texts.names(each) for each in TextKind if each is not kind)


def test_operations_of_one_moment_sort_as_they_came(backend: Backend, other: Backend) -> None:
    begun = [begin(each, PLAN, NOW).id for each in (backend, other, backend, other)]
    assert begun == sorted(begun)
    assert len({identifier.partition("-")[0] for identifier in begun}) == len(begun)
    assert operation_ids(other) == begun[::-1]


def test_the_first_operation_of_a_day_forgets_those_of_long_ago(backend: Backend) -> None:
    days = (40, 40, 31, 2, 0, 0)
    begun = [begin(backend, PLAN, NOW - timedelta(days=it)).id for it in days]
    assert operation_ids(backend) == begun[:1:-1]


@pytest.mark.parametrize("name", ["nothing", "", "../issue-29", "a/b", "/etc/passwd", "a\0b"])
def test_a_text_that_is_not_there_is_said(backend: Backend, name: str) -> None:
    with pytest.raises(NotFound):
        backend.texts.read(TextKind.RECALLS, name)


def _log(backend: Backend, kind: str) -> None:
    with backend.locked():
        backend.log.append({"type": kind, "timestamp": "2026-03-01T00:00:00.000Z"})


def test_texts_expire_by_their_age_and_the_oldest_by_their_size(location: str) -> None:
    kept: list[str] = []
    for name, age in (("a", 50), ("b", 40), ("c", 20), ("d", 10), ("e", 0)):
        _keep(location, name, NOW - timedelta(days=age))
        kept.append(name)
    backend = open_backend(location, lambda: NOW)
    try:

        def left(days: int, most: int, newest: str = "") -> list[str]:
            backend.texts.expire(TextKind.RECALLS, NOW, timedelta(days=days), most, newest)
            return sorted(backend.texts.names(TextKind.RECALLS))

        assert left(100, 1_000) == kept
        assert left(25, 1_000) == ["c", "d", "e"]
        assert left(100, 250) == ["d", "e"], "the oldest of what is too much go"
        assert left(100, 200, "d") == ["d", "e"]
        assert left(100, 199, "d") == ["d"], "what was kept just now counts, and stays"
        assert left(0, 0, "d") == ["d"]
    finally:
        backend.release()


def test_a_text_that_is_kept_anew_is_as_new_as_that(location: str) -> None:
    for name, age in (("a", 50), ("b", 40), ("a", 10)):
        _keep(location, name, NOW - timedelta(days=age))
    backend = open_backend(location, lambda: NOW)
    try:
        backend.texts.expire(TextKind.RECALLS, NOW, timedelta(days=100), 100, "")
        assert backend.texts.names(TextKind.RECALLS) == ["a"]
    finally:
        backend.release()


def _keep(location: str, name: str, when: datetime) -> None:
    """A text of 100 bytes, kept then; where files are kept, their own time says so."""
    backend = open_backend(location, lambda: when)
    backend.texts.keep(TextKind.RECALLS, name, b"x" * 100)
    folder = backend.folder
    backend.release()
    for path in folder.rglob(f"{TextKind.RECALLS}/{name}.md"):
        os.utime(path, (when.timestamp(), when.timestamp()))
