"""Which session is gone on with: each condition of a checkpoint and of a handoff, by rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.errors import Away, StoreError
from store.model import Observation
from store.sessions.checkpoint import Checkpoint
from tests.store.factories import NOW, Clock, make_memory

TALK = ({"role": "user", "text": "Mend the lock."}, {"role": "agent", "text": "I look."})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return make_memory(tmp_path, clock)


def _chat(found: Checkpoint | None) -> str | None:
    return None if found is None else found.chat_id


def _never(_: int) -> bool:
    return False


@pytest.mark.parametrize(
    ("branch", "session", "runs", "found"),
    [
        ("main", "", _never, "two"),
        ("main", "two", _never, "one"),
        ("main", "one", _never, "two"),
        ("other", "", _never, None),
        ("", "", _never, "none"),
        ("main", "", lambda owner: owner == 77, "two"),
        ("main", "two", lambda owner: owner == 77, None),
        ("main", "", lambda owner: True, "two"),
        ("main", "two", lambda owner: True, None),
        ("", "", lambda owner: True, "none"),
        ("main", "two", lambda owner: owner == 7, "one"),
    ],
)
def test_the_last_other_session_of_a_branch_broke_off(
    memory: Memory,
    clock: Clock,
    branch: str,
    session: str,
    runs: Callable[[int], bool],
    found: str | None,
) -> None:
    memory.continuation.checkpoint("qa", TALK, "one", branch="main", owner=77)
    memory.continuation.checkpoint("qa", TALK, "none")
    clock.pass_by(minutes=1)
    memory.continuation.checkpoint("qa", TALK, "two", branch="main")
    assert _chat(memory.continuation.interrupted(branch, session, runs)) == found
    memory.continuation.checkpoint("qa", TALK, "two", branch="main", ended=True)
    if (branch, session) == ("main", ""):
        assert memory.continuation.interrupted(branch, session, runs) is None


@pytest.mark.parametrize(
    ("given", "is_gone_on"),
    [
        ({"session_id": "one"}, True),
        ({"session_id": "other"}, False),
        ({"extra": {"branch": "main"}}, True),
        ({"extra": {"branch": "main"}, "session_id": "other"}, True),
        ({"extra": {"branch": "other"}, "session_id": "one"}, True),
        ({"extra": {"branch": "other"}}, False),
        ({"extra": {"branch": 7}}, False),
        ({"category": "decision", "session_id": "one"}, False),
        ({"session_id": "one", "timestamp": NOW}, False),
        ({"session_id": "one", "timestamp": NOW - timedelta(seconds=1)}, False),
        ({"session_id": "one", "timestamp": NOW + timedelta(seconds=1)}, True),
    ],
)
def test_which_handoff_stands_for_a_session(
    memory: Memory, clock: Clock, given: dict[str, Any], is_gone_on: bool
) -> None:
    memory.continuation.checkpoint("qa", TALK, "one", branch="main")
    clock.pass_by(minutes=1)
    fields = {"category": "handoff", "timestamp": clock(), **given}
    memory.store([Observation("qa", 0, content="Go on there.", **fields)])
    assert _chat(memory.continuation.interrupted("main")) == (None if is_gone_on else "one")


@pytest.mark.parametrize("error", [Away("The database is away.", ""), StoreError("No.", "")])
def test_database_away(memory: Memory, monkeypatch: pytest.MonkeyPatch, error: StoreError) -> None:
    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr(memory.backend.texts, "names", refused)
    if isinstance(error, Away):
        assert memory.continuation.interrupted("main") is None
        return
    with pytest.raises(StoreError):
        memory.continuation.interrupted("main")
