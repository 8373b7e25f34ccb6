"""Which session is gone on with: each condition of a checkpoint and of a handoff, by rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace as changed
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.errors import Away, StoreError
from store.events import MemoryProblem
from store.model import Observation
from store.sessions.checkpoint import Checkpoint, Said
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, make_memory

TALK = ({"role": "user", "text": "Mend the lock."}, {"role": "agent", "text": "I look."})
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return make_memory(tmp_path, clock)


def _chat(found: Checkpoint | None) -> str | None:
    return None if found is None else found.chat_id


def test_a_checkpoint_holds_all_that_it_was_given(memory: Memory) -> None:
    kept = memory.continuation.checkpoint(
        f"qa {SECRET}",
        TALK,
        "one",
        "model",
        branch="main",
        left_open=("tests", f"token {SECRET}"),
        ended=True,
        owner=77,
    )
    assert kept is not None
    assert kept._replace(agent="", left_open=()) == Checkpoint(
        "", NOW, (Said("user", "Mend the lock."), Said("agent", "I look.")), "one", "model", "main",
        (), True, 77,
    )  # fmt: skip
    assert SECRET not in str(kept)
    assert kept.left_open[0] == "tests"
    assert memory.continuation.recover() == kept
    bare = memory.continuation.checkpoint("qa", TALK)
    assert bare == Checkpoint("qa", NOW, kept.messages)


def test_the_newest_of_an_agent_or_of_any_is_recovered(memory: Memory, clock: Clock) -> None:
    for agent, chat in (("qa", "one"), ("dev", "two"), ("qa", "three"), ("dev", "four")):
        memory.continuation.checkpoint(agent, TALK, chat)
        clock.pass_by(minutes=1)
    found = [_chat(memory.continuation.recover(it)) for it in (None, "qa", "dev", "none")]
    assert found == ["four", "three", "four", None]
    clock.pass_by(days=7, minutes=-2, seconds=1)
    assert [_chat(memory.continuation.recover(it)) for it in ("qa", "dev")] == [None, "four"]


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


def test_a_handoff_without_a_branch_stands_for_a_session_without_one(
    memory: Memory, clock: Clock
) -> None:
    memory.continuation.checkpoint("qa", TALK)
    assert memory.continuation.interrupted("") is not None
    clock.pass_by(minutes=1)
    memory.store([Observation("qa", 0, "handoff", "Elsewhere.", extra={"branch": "main"})])
    assert memory.continuation.interrupted("") is not None
    memory.store([Observation("qa", 0, "handoff", "Go on there.")])
    assert memory.continuation.interrupted("") is None


def test_twenty_handoffs_are_looked_at(memory: Memory, clock: Clock) -> None:
    memory.continuation.checkpoint("qa", TALK, "one", branch="main")
    clock.pass_by(minutes=1)
    memory.store([Observation("qa", 0, "handoff", "It ended.", session_id="one")])
    for last, found in ((19, None), (20, "one")):
        clock.pass_by(minutes=1)
        other = [
            Observation("qa", 0, "handoff", f"Other {last} {at}.", session_id="x")
            for at in range(19 if last == 19 else 1)
        ]
        memory.store(other)
        assert _chat(memory.continuation.interrupted("main")) == found


def test_what_is_put_to_sleep_is_a_handoff_and_a_checkpoint_that_ended(
    memory: Memory,
) -> None:
    (kept,) = memory.continuation.sleep(
        "qa", TALK, " Done. ", issue=7, chat_id="one", branch="main"
    )
    made = memory.get(kept)
    assert (made.agent, made.issue_number, made.category) == ("qa", 7, "handoff")
    assert (made.content, made.session_id, made.extra) == ("Done.", "one", {"branch": "main"})
    last = memory.continuation.recover()
    assert last is not None
    assert (last.ended, last.chat_id, last.branch) == (True, "one", "main")
    (bare,) = memory.continuation.sleep("qa", [], "Said alone.")
    made = memory.get(bare)
    assert (made.session_id, made.extra, made.issue_number) == ("", {}, 0)
    assert memory.continuation.sleep("qa", [{"role": "user", "text": " "}], " ") == []


def test_a_handoff_counts_though_its_messages_cant_be_kept(memory: Memory) -> None:
    told: list[MemoryProblem] = []
    memory.events.subscribe(MemoryProblem, told.append)
    memory.path.mkdir(parents=True)
    (memory.path / "checkpoints").write_text("in the way")
    [identifier] = memory.continuation.sleep("engineer", TALK, "Next: measure it.")
    assert memory.get(identifier).content == "Next: measure it."
    assert [it.kind for it in told] == ["checkpoint-not-kept"]
    assert "could not be written" in told[0].message


def test_switched_off_nothing_is_kept_or_put_to_sleep(tmp_path: Path) -> None:
    memory = open_memory(
        tmp_path / "memory",
        cache=tmp_path / "cache",
        clock=Clock(),
        new_id=Ids(),
        settings=changed(Settings(), enabled=False),
    )
    assert memory.continuation.checkpoint("qa", TALK) is None
    assert memory.continuation.sleep("qa", TALK, "Done.") == []
    assert memory.continuation.recover() is None


@pytest.mark.parametrize("error", [Away("The database is away.", ""), StoreError("No.", "")])
def test_a_database_that_is_away_has_no_session_to_go_on_with(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, error: StoreError
) -> None:
    def refused(*_: object) -> None:
        raise error

    monkeypatch.setattr(memory.backend, "names", refused)
    if isinstance(error, Away):
        assert memory.continuation.interrupted("main") is None
        return
    with pytest.raises(StoreError):
        memory.continuation.interrupted("main")
