"""Named texts in rows: what each change is known by, and that another project's are not touched."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.backends import open_backend
from store.backends.postgres.backend import PostgresBackend
from store.backends.text_kinds import TextKind
from store.errors import NotFound
from tests.postgres import project_of
from tests.store.factories import NOW

LONG, MUCH = timedelta(days=30), 10**9


def _keep(url: str, name: str, days: int = 0, size: int = 100) -> None:
    backend = open_backend(url, lambda: NOW - timedelta(days=days))
    backend.texts.keep(TextKind.RECALLS, name, b"x" * size)
    backend.release()


def _left(backend: PostgresBackend) -> list[str]:
    return sorted(backend.texts.names(TextKind.RECALLS))


def test_a_text_that_is_kept_again_is_another_change(backend: PostgresBackend) -> None:
    backend.texts.keep(TextKind.SESSIONS, "a", b"one")
    backend.texts.keep(TextKind.SESSIONS, "b", b"one")
    before = backend.texts.stamps(TextKind.SESSIONS)
    assert before["a"] != before["b"]
    backend.texts.keep(TextKind.SESSIONS, "a", b"one")
    after = backend.texts.stamps(TextKind.SESSIONS)
    assert after["a"] != before["a"]
    assert after["b"] == before["b"]


def test_a_project_sees_and_forgets_its_own_texts_alone(
    backend: PostgresBackend, postgres: str
) -> None:
    other = open_backend(project_of(postgres), lambda: NOW)
    for each in (backend, other):
        each.texts.keep(TextKind.RECALLS, "a", each.identity.encode())
    assert backend.texts.read(TextKind.RECALLS, "a") == backend.identity.encode()
    backend.texts.expire(TextKind.RECALLS, NOW, LONG, 0, "")
    assert _left(backend) == []
    with pytest.raises(NotFound):
        backend.texts.read(TextKind.RECALLS, "a")
    backend.texts.keep(TextKind.RECALLS, "a", b"")
    other.texts.remove(TextKind.RECALLS, "a")
    assert _left(backend) == ["a"]
    other.release()
