"""The digests and checkpoints of a memory: read, shown, kept; what can't be opened stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.backends.files.layout import SESSIONS
from store.backends.memory.backend import Held, MemoryBackend, MemoryTexts
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import Unopened
from store.redaction.outgoing import Outgoing
from store.sessions.checkpoint import Checkpoint, Checkpoints, KeptMessage
from store.sessions.digest_record import digest_bytes, text_name
from store.sessions.model import SessionDigest
from store.sessions.records import SessionRecords
from tests.store.factories import NOW, Clock

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ONE = SessionDigest("one", "codex", asked=("Mend the till.",), ended=NOW)


class SomeTexts(MemoryTexts):
    """Texts in memory, of which those named here can't be opened just now."""

    unopened: frozenset[str] = frozenset()

    def read(self, kind: TextKind, name: str) -> bytes:
        if name in self.unopened:
            raise Unopened(f"{name} can't be opened: too many open files.")
        return super().read(kind, name)


class Some(MemoryBackend):
    texts: SomeTexts

    def __init__(self) -> None:
        held = Held("m")
        super().__init__(held, Clock())
        self.texts = SomeTexts(held, Clock())


@pytest.fixture
def backend() -> Some:
    return Some()


def _records(backend: Backend) -> SessionRecords:
    return SessionRecords(backend, Outgoing(None))


def _asked(records: SessionRecords) -> dict[str, tuple[str, ...]]:
    return {digest.id: digest.asked for digest in records.digests()}


def test_a_digest_that_changed_is_read_again_and_one_that_is_gone_is_none(backend: Some) -> None:
    records = _records(backend)
    for name in ("one", "two", "three"):
        records.write(ONE._replace(id=name))
    assert set(_asked(records)) == {"one", "two", "three"}
    records.write(ONE._replace(id="two", asked=("Sort the queue.",)))
    backend.texts.remove(TextKind.SESSIONS, "three")
    backend.texts.keep(TextKind.SESSIONS, "odd", b"{")
    assert _asked(records) == {"one": ONE.asked, "two": ("Sort the queue.",)}
    assert records.digest_of("three") is records.digest_of("odd") is None


def test_what_others_wrote_is_shown_without_secrets_and_found_by_its_mark(backend: Some) -> None:
    records = _records(backend)
    records.write(ONE._replace(asked=(f"Use {SECRET} for the till.",)))
    records.write(ONE._replace(id=SECRET))
    for shown in (records.digest_of("one"), records.read_cleaned("one")):
        assert shown is not None
        assert shown.asked[0].startswith("Use [")
        assert SECRET not in shown.asked[0]
    (other,) = (digest.id for digest in records.digests() if digest.id != "one")
    assert other.startswith("[")
    found = records.digest_of(other)
    assert found is not None
    assert (found.id, found.asked) == (other, ONE.asked)
    assert records.digest_of("[GONE]") is None


def test_what_can_not_be_opened_just_now_is_passed_over_and_not_replaced(backend: Some) -> None:
    records = _records(backend)
    for name in ("one", "two"):
        records.write(ONE._replace(id=name))
    backend.texts.unopened = frozenset({"one"})
    assert records.read_cleaned("one") is None
    assert set(_asked(records)) == {"two"}
    asks: list[Callable[[], object]] = [
        lambda: records.read("one"),
        lambda: records.digest_of("one"),
        lambda: records.change_to(ONE),
    ]
    for ask in asks:
        with pytest.raises(Unopened):
            ask()
    assert records.read("gone") is None


@pytest.mark.parametrize("shared", [True, False])
def test_digests_are_left_to_git_where_they_are_shared(tmp_path: Path, shared: bool) -> None:
    records = _records(FilesBackend(tmp_path))
    assert records.write(ONE, shared=shared) == "one"
    assert (tmp_path / SESSIONS / "one.json").read_bytes() == digest_bytes(ONE)
    assert (tmp_path / SESSIONS / ".gitignore").exists() is not shared


def test_a_checkpoint_that_can_not_be_opened_stays(backend: Some) -> None:
    checkpoints = Checkpoints(backend)
    for agent, chat in (("qa", "one"), ("dev", "one"), ("qa", "two")):
        checkpoints.write(Checkpoint(agent, NOW, (KeptMessage("user", agent),), chat))
    backend.texts.unopened = frozenset({text_name("qa-one")})
    valid = checkpoints.valid(NOW)
    assert sorted((checkpoint.agent, checkpoint.chat_id) for checkpoint in valid) == [
        ("dev", "one"), ("qa", "two"),
    ]  # fmt: skip
    backend.texts.unopened = frozenset()
    assert len(checkpoints.valid(NOW)) == 3
