"""The index of sessions, and what is taken into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.agents.client import SessionFile
from store.backends import open_backend
from store.backends.files.layout import SESSIONS
from store.errors import InvalidQuery, StoreError
from store.redaction.outgoing import Outgoing
from store.search import derived_index
from store.search.derived_index import DerivedIndex
from store.search.query import check_understood
from store.sessions.excerpts import excerpts
from store.sessions.index import SessionIndex
from store.sessions.index_report import IndexReport
from store.sessions.session_search import index_folder
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.sessions.talks import talk, written

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


# Taking sessions in: kept, found again, resumed, followed, and never lost with the cache.


def found(memory: Memory, query: str) -> list[str]:
    return [hit.entry.id for hit in memory.search(f"in:sessions {query}").hits]


def test_sessions_are_kept_and_their_messages_found(memory: Memory, tmp_path: Path) -> None:
    files = [talk(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")]
    files.append(talk(tmp_path, "two", "Rename the parser.", "Renamed."))
    done = memory.session_indexing.index(files)
    assert (done.taken, done.known, done.left, done.unfinished) == (2, 0, (), False)
    assert {it.id for it in memory.sessions.digests()} == {"one", "two"}
    assert found(memory, "manifest") == ["one#2"]
    assert memory.search("in:sessions tag:feature/29-locks").total == 4
    assert memory.search("manifest").total == 0
    assert memory.search("in:all manifest").total == 1
    assert [it.content for it in memory.sessions.messages("one")] == [
        "Why does the lock hang?",
        "It waits for the manifest.",
    ]


def test_messages_next_to_each_other_are_shown_once(memory: Memory, tmp_path: Path) -> None:
    said = ("Lock it?", "Yes, a lock.", "Why?", "Files tear.", "Thanks.", "No lock, then.")
    memory.session_indexing.index([talk(tmp_path, "one", *said)])
    hits = memory.search("in:sessions lock").hits
    shown = excerpts(hits, memory.sessions.around(hits))
    assert [(found.hit.entry.id, found.before, found.after) for found in shown] == [
        ("one#1", "", ""),
        ("one#2", "", "Why?"),
        ("one#6", "Thanks.", ""),
    ]


def test_the_folder_is_kept_out_of_git_unless_it_is_shared(tmp_path: Path) -> None:
    file = talk(tmp_path, "one", "From now on retry at most 3 times, because it gives up.", "Yes.")
    for name, shared in (("private", False), ("shared", True)):
        settings = Settings(share_sessions=shared)
        with open_memory(tmp_path / name, cache=tmp_path / "c", settings=settings) as memory:
            memory.session_indexing.index([file])
            assert memory.capture.apply(memory.capture.plan_files([file])).ids
        assert (tmp_path / name / SESSIONS / ".gitignore").exists() != shared


@pytest.mark.parametrize("name", ["seen.json", "messages", "sessions"])
def test_a_damaged_index_is_made_anew(memory: Memory, tmp_path: Path, name: str) -> None:
    file = talk(tmp_path, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.session_indexing.index([file])
    folder = next((tmp_path / "cache").glob("*-sessions"))
    damaged = [folder / name] if name == "seen.json" else list((folder / name).iterdir())
    for path in damaged:
        path.write_bytes(b"\0" * 7)
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "manifest") == []
        assert other.session_indexing.index([file]).taken == 1
        assert found(other, "manifest") == ["one#2"]


def test_a_token_in_the_path_of_a_session_is_kept_nowhere(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    folder = tmp_path / f"x-access-token:{token}@github.com"
    folder.mkdir()
    file = talk(folder, "one", "Why does the lock hang?", "It waits for the manifest.")
    memory.session_indexing.index([file])
    assert memory.session_indexing.to_index([file]) == []
    kept = [*(tmp_path / "cache").rglob("*"), *(tmp_path / "memory").rglob("*")]
    assert [it for it in kept if it.is_file() and token.encode() in it.read_bytes()] == []


def test_a_query_that_looks_into_sessions_changes_nothing(memory: Memory) -> None:
    with pytest.raises(InvalidQuery) as raised:
        check_understood(memory.parse_query("in:sessions lock"))
    assert [it.kind for it in raised.value.notes] == ["place-not-changed"]


def test_index_made_meanwhile(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.session_indexing.index([talk(tmp_path, "one", "Why does the lock hang?", "It waits.")])
    there = DerivedIndex.open_kept
    answers = iter([lambda _: False])  # it was looked for a moment too early
    monkeypatch.setattr(DerivedIndex, "open_kept", lambda index: next(answers, there)(index))
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as other:
        assert found(other, "lock") == ["one#1"]


def test_stopped_run(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.sessions.indexing.STEP", 1)
    files = [talk(tmp_path, f"s{at}", f"Question {at}.", "Answer.") for at in range(4)]
    asked: list[tuple[int, int]] = []

    def goes_on(done: int, total: int) -> bool:
        asked.append((done, total))
        return len(asked) != 2

    assert memory.session_indexing.index(files, goes_on) == IndexReport(1, 0, (), unfinished=True)
    assert asked == [(0, 4), (1, 4), (1, 4)]
    assert len(memory.sessions.digests()) == 1
    assert memory.session_indexing.index(files) == IndexReport(3, 1, (), unfinished=False)


# Taking in is an operation: undone, done again; a capture's undo takes its digest back too.


def session(folder: Path, name: str, *more: str) -> SessionFile:
    made = ClaudeCode(session=name).user("Make the lock wait.").edit("store/lock.py")
    made.agent("I decided to use a kernel lock: it goes with its process.")
    for text in more:
        made.user(text).agent("Yes.")
    return written(folder, made)


def digests(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "memory" / SESSIONS).glob("*.json")}


def test_taking_in_is_undone_and_done_again(memory: Memory, tmp_path: Path) -> None:
    files = [session(tmp_path, "one"), session(tmp_path, "two")]
    memory.session_indexing.index(files)
    [operation] = memory.history.operations()
    assert (operation.kind, operation.action.figures) == ("take-in", {"sessions": 2})
    memory.undo()
    assert not memory.recall.plan(None, None, "make the lock wait", fresh=False).candidates
    assert digests(tmp_path) == set()
    assert memory.search("in:sessions lock").total == 0
    assert len(memory.session_indexing.to_index(files)) == 2
    memory.redo()
    # Who has memory open for long asks the index alone.
    assert memory.recall.plan(None, None, "make the lock wait", fresh=False).candidates
    assert digests(tmp_path) == {"one", "two"}
    assert [it.id for it in memory.sessions.digests()]


def test_what_was_kept_before_comes_back(memory: Memory, tmp_path: Path) -> None:
    memory.session_indexing.index([session(tmp_path, "one")])
    memory.session_indexing.index([session(tmp_path, "one", "And test it.")])
    assert memory.sessions.digests()[0].messages == 4
    memory.undo()
    assert memory.sessions.digests()[0].messages == 2


def test_the_undo_of_a_capture_takes_its_digest_back(memory: Memory, tmp_path: Path) -> None:
    file = session(tmp_path, "one")
    with file.path.open("rb") as lines:
        report = memory.capture.apply(memory.capture.plan(lines))
    assert report.stored
    assert memory.sessions.digests()[0].memories == tuple(it.id for it in report.stored)
    assert memory.search("in:sessions kernel").total == 1
    memory.undo()
    assert digests(tmp_path) == set()
    assert memory.search("").total == 0


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\x00"])
def test_doctor_moves_broken_digests(memory: Memory, tmp_path: Path, data: bytes) -> None:
    file = session(tmp_path, "one")
    memory.session_indexing.index([file])
    path = tmp_path / "memory" / SESSIONS / "one.json"
    path.write_bytes(data)
    found = memory.doctor.examine()
    assert [it.path for it in found.findings if it.is_problem] == ["sessions/one.json"]
    memory.doctor.repair(found)
    [aside] = (tmp_path / "memory" / "quarantine").iterdir()
    assert aside.read_bytes() == data
    assert not [it for it in memory.doctor.examine().findings if it.is_problem]
    assert memory.session_indexing.index([file]).taken == 1
