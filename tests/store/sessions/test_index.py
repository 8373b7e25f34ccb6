"""The index of sessions: forgotten, busy, damaged, or made elsewhere; what it had is served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends import open_backend
from store.errors import StoreError
from store.redaction.outgoing import Outgoing
from store.search import derived_index
from store.sessions.index import SessionIndex
from store.sessions.session_search import index_folder
from tests.store.sessions.talks import talk

Index = Callable[[], SessionIndex]


@pytest.fixture
def opened(memory: Memory, tmp_path: Path) -> Index:
    """Opens the index as another program does, of two sessions that were taken in."""
    files = [talk(tmp_path, name, "Why does the lock hang?", "It waits.") for name in "ab"]
    assert memory.session_indexing.index(files).taken == 2

    def opened() -> SessionIndex:
        backend = open_backend(tmp_path / "memory")
        return SessionIndex(backend, index_folder(backend, tmp_path / "cache"), Outgoing(None))

    return opened


def _forget(folder: Path, session_id: str) -> None:
    """Forget a session, as another program does."""
    (folder / "memory" / "sessions" / f"{session_id}.json").unlink()


def _counts(index: SessionIndex) -> tuple[int, int]:
    return index.sessions.num_docs, index.messages.num_docs


@contextmanager
def _busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another program writes the index, for longer than is waited for."""

    @contextmanager
    def held(*_: object, **__: object) -> Iterator[bool]:
        yield False

    with monkeypatch.context() as patch:
        patch.setattr(derived_index, "held", held)
        yield


def test_a_forgotten_session_is_found_no_more(opened: Index, tmp_path: Path) -> None:
    index = opened()
    assert _counts(index) == (2, 4)
    assert {it.session for it in index.files.values()} == {"a", "b"}
    _forget(tmp_path, "a")
    assert index.catch_up()
    assert _counts(index) == (1, 2)
    assert {it.session for it in index.files.values()} == {"b"}
    assert _counts(opened()) == (1, 2)
    assert {it.session for it in opened().files.values()} == {"b"}


def test_while_another_writes_what_it_had_is_served(
    memory: Memory, opened: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened()
    assert not index.catch_up() or _counts(index) == (2, 4)
    _forget(tmp_path, "a")
    with _busy(monkeypatch):
        assert not index.catch_up()
        assert _counts(index) == (2, 4)
        with pytest.raises(StoreError, match="is updating the session index"):
            index.add([], {})
    assert index.catch_up()
    assert _counts(index) == (1, 2)
    assert not index.catch_up()


def test_a_damaged_index_is_emptied_and_other_errors_are_raised(opened: Index) -> None:
    index = opened()

    def damaged() -> int:
        raise ValueError("Data corrupted: an index file")

    def wrong() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        index.ask(wrong, 0)
    assert _counts(index) == (2, 4)
    assert index.ask(lambda: 5, 0) == 5
    assert index.ask(damaged, 7) == 7
    assert index.messages.num_docs == 0


def test_messages_in_the_index_of_an_earlier_version(memory: Memory, tmp_path: Path) -> None:
    file = talk(tmp_path, "one", "Why does the lock hang?", "It waits.")
    memory.session_indexing.index([file])
    file.path.unlink()
    folder = next((tmp_path / "cache").glob("*-sessions"))
    folder.rename(folder.with_name(f"{folder.name.partition('-')[0]}-v1-sessions"))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as later:
        assert [hit.entry.id for hit in later.search("in:sessions waits").hits] == ["one#2"]
        assert later.session_indexing.to_index([file]) == []
