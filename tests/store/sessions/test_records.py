"""The digests and checkpoints of a memory: read, shown, kept; what can't be opened stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.backends.files.layout import SESSIONS
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import Unopened, Unreadable
from store.redaction.outgoing import Outgoing
from store.sessions.begun import index_folder, is_begun
from store.sessions.checkpoint import Checkpoint, Said
from store.sessions.checkpoints import Checkpoints
from store.sessions.model import ANSWER, Passage, SessionDigest
from store.sessions.record import as_bytes, as_kept, text_name
from store.sessions.records import SessionRecords
from tests.store.factories import NOW, Clock

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ONE = SessionDigest("one", "codex", asked=("Mend the till.",), ended=NOW)


class Some(MemoryBackend):
    """Keeps texts in memory, of which those named here can't be opened just now."""

    unopened: frozenset[str] = frozenset()

    def kept(self, kind: TextKind, name: str) -> bytes:
        if name in self.unopened:
            raise Unopened(f"{name} can't be opened: too many open files.")
        return super().kept(kind, name)


@pytest.fixture
def backend() -> Some:
    return Some(Held("m"), Clock())


def _records(backend: Backend) -> SessionRecords:
    return SessionRecords(backend, Outgoing(None))


def _asked(records: SessionRecords) -> dict[str, tuple[str, ...]]:
    return {it.id: it.asked for it in records.all()}


def test_a_digest_that_changed_is_read_again_and_one_that_is_gone_is_none(backend: Some) -> None:
    records = _records(backend)
    for name in ("one", "two", "three"):
        records.write(ONE._replace(id=name))
    assert set(_asked(records)) == {"one", "two", "three"}
    records.write(ONE._replace(id="two", asked=("Sort the queue.",)))
    backend.forget(TextKind.SESSIONS, "three")
    backend.keep(TextKind.SESSIONS, "odd", b"{")
    assert _asked(records) == {"one": ONE.asked, "two": ("Sort the queue.",)}
    assert records.of("three") is records.of("odd") is None


def test_what_others_wrote_is_shown_without_secrets_and_found_by_its_mark(backend: Some) -> None:
    records = _records(backend)
    records.write(ONE._replace(asked=(f"Use {SECRET} for the till.",)))
    records.write(ONE._replace(id=SECRET))
    for shown in (records.of("one"), records.shown("one")):
        assert shown is not None
        assert shown.asked[0].startswith("Use [")
        assert SECRET not in shown.asked[0]
    (other,) = (it.id for it in records.all() if it.id != "one")
    assert other.startswith("[")
    found = records.of(other)
    assert found is not None
    assert (found.id, found.asked) == (other, ONE.asked)
    assert records.of("[GONE]") is None


def test_what_can_not_be_opened_just_now_is_passed_over_and_not_replaced(backend: Some) -> None:
    records = _records(backend)
    for name in ("one", "two"):
        records.write(ONE._replace(id=name))
    backend.unopened = frozenset({"one"})
    assert records.shown("one") is None
    assert set(_asked(records)) == {"two"}
    asks: list[Callable[[], object]] = [
        lambda: records.read("one"),
        lambda: records.of("one"),
        lambda: records.change_to(ONE),
    ]
    for ask in asks:
        with pytest.raises(Unopened):
            ask()
    assert records.read("gone") is None


def test_a_change_says_what_stood_there_and_what_is_to_stand(backend: Some) -> None:
    records = _records(backend)
    change = records.change_to(ONE)
    assert (change.kind, change.name) == (TextKind.SESSIONS, "one")
    assert (change.before, change.after) == (None, as_kept(ONE))
    records.write(ONE)
    later = ONE._replace(last="Mended.")
    change = records.change_to(later)
    assert (change.before, change.after) == (as_kept(ONE), as_kept(later))


def test_messages_are_kept_within_their_room_and_digests_stay(backend: Some) -> None:
    records = _records(backend)
    said = [Passage(1, ANSWER, "It waits.", NOW, 2, ("a.py",))]
    for name in ("one", "two"):
        records.write(ONE._replace(id=name))
        records.write_messages(name, said, NOW + timedelta(days=400), 90)
    assert [records.messages(it) for it in ("one", "two", "gone")] == [[], said, []]
    assert set(_asked(records)) == {"one", "two"}


@pytest.mark.parametrize("shared", [True, False])
def test_digests_are_left_to_git_where_they_are_shared(tmp_path: Path, shared: bool) -> None:
    records = _records(FilesBackend(tmp_path))
    assert records.write(ONE, shared=shared) == "one"
    assert (tmp_path / SESSIONS / "one.json").read_bytes() == as_bytes(ONE)
    assert (tmp_path / SESSIONS / ".gitignore").exists() is not shared


def test_ids_that_are_no_names_are_kept_apart() -> None:
    ids = ("a/b", "a-b", "a b", "a.b", "a\nb", "", "x" * 100, "x" * 101, "é", "-a", "_a")
    names = [text_name(it) for it in ids]
    assert len(set(names)) == len(ids)
    assert [it for it, name in zip(ids, names, strict=True) if it == name] == ["a-b", "x" * 100]


def test_a_checkpoint_that_can_not_be_opened_just_now_stays_for_the_next_time(
    backend: Some,
) -> None:
    checkpoints = Checkpoints(backend)
    for agent, chat in (("qa", "one"), ("dev", "one"), ("qa", "two")):
        checkpoints.write(Checkpoint(agent, NOW, (Said("user", agent),), chat))
    backend.unopened = frozenset({text_name("qa-one")})
    assert sorted((it.agent, it.chat_id) for it in checkpoints.valid(NOW)) == [
        ("dev", "one"), ("qa", "two"),
    ]  # fmt: skip
    backend.unopened = frozenset()
    assert len(checkpoints.valid(NOW)) == 3


def test_writing_a_checkpoint_removes_those_that_expired_and_nothing_else() -> None:
    backend = MemoryBackend(Held("m"), clock := Clock())
    records, checkpoints = _records(backend), Checkpoints(backend)
    records.write(ONE)
    for chat, days in (("old", 0), ("last", 8), ("new", 10)):
        clock.now = NOW + timedelta(days=days)
        checkpoints.write(Checkpoint("qa", clock.now, chat_id=chat))
    names = {text_name(f"qa-{chat}") for chat in ("last", "new")}
    assert set(backend.names(TextKind.CHECKPOINTS)) == names
    assert set(_asked(records)) == {"one"}


def test_sessions_are_begun_where_some_are_kept_or_were_indexed(
    backend: Some, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = index_folder(backend, tmp_path)
    assert folder is not None
    assert folder.parent == tmp_path
    assert index_folder(backend, None) is None
    assert not is_begun(backend, folder)
    assert not is_begun(backend, None)
    folder.mkdir()
    assert not is_begun(backend, folder)
    (folder / "seen.json").touch()
    assert is_begun(backend, folder)
    assert not is_begun(backend, None)
    _records(backend).write(ONE)
    assert is_begun(backend, None)

    def refused(*_: object) -> None:
        raise Unreadable("It can't be listed.")

    monkeypatch.setattr(MemoryBackend, "names", refused)
    assert not is_begun(backend, None)
    assert is_begun(backend, folder)
