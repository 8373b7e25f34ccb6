"""The digests and checkpoints of a memory: read, shown, kept; what can't be opened stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from store.backends.memory.backend import Held, MemoryBackend, MemoryTexts
from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import Unopened
from store.redaction.outgoing import Outgoing
from store.sessions.checkpoint import Checkpoint, Checkpoints, KeptMessage
from store.sessions.digest_record import text_name
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
