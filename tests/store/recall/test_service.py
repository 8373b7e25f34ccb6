"""What is recorded of an injection, which budget and which moment hold, and what is ranked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.errors import InvalidObservation
from store.events import MemoryProblem, MemoryRecalled
from store.recall.already_injected import AlreadyInjected, already_injected
from store.recall.request import RecallRequest, request_of
from tests.store.factories import Clock, logged, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store(
        [
            observation("The lock waits for the manifest.", tags=("locks",)),
            observation("The lock is held by the kernel.", issue_number=30),
            observation("The gateway closes.", agent="qa", issue_number=30, category="error"),
        ]
    )
    return memory


def test_nothing_told_is_no_injection(memory: Memory) -> None:
    before = logged(memory.path)
    assert memory.recall.inject(memory.recall.plan(None, 29, "lock", budget=0)) == ""
    assert logged(memory.path) == before


def test_a_text_is_kept_once_and_told_each_time_also_where_it_can_not_be_kept(
    memory: Memory,
) -> None:
    recall = memory.recall.plan(None, 29, "lock", budget=600)
    told: list[MemoryRecalled] = []
    heard: list[str] = []
    memory.events.subscribe(MemoryRecalled, told.append)
    memory.events.subscribe(MemoryProblem, lambda it: heard.append(it.kind))
    for _ in range(2):
        memory.recall.inject(recall)
    names = {it.text for it in told}
    assert len(names) == 1
    folder = memory.path / "recalls"
    assert [it.stem for it in folder.iterdir()] == [*names]
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    assert memory.recall.inject(recall) == recall.text
    assert (told[2].text, told[2].count, heard) == ("", len(recall.included), ["recall-not-kept"])


# A request says one thing, however it is given.


def test_fields_are_taken_as_callers_have_them() -> None:
    asked = request_of(task=None, pinned=["a"], channel=None, changed_files=["x.py"])
    assert asked == RecallRequest(pinned=frozenset("a"), changed_files=("x.py",))
    with pytest.raises(InvalidObservation, match="pigeon"):
        request_of(channel="pigeon")


def test_a_session_is_looked_for_by_all_that_says_what_it_is_about() -> None:
    asked = RecallRequest(
        task="Fix it", branch_words=("lock", "wait"), changed_files=("a.py",), commits=("Wait",)
    )
    assert asked.text == "Fix it\nlock wait\na.py\nWait"
    assert RecallRequest().text == ""


# What a session was told already, from the lines of the activity log.


def line(*ids: str, session: str = "s", **more: object) -> dict[str, Any]:
    return {"type": "recalled", "sessionId": session, "observationIds": list(ids), **more}


def test_all_that_a_session_was_told_counts() -> None:
    lines = [line("a", about=["lock"]), line("b", "c"), line("d", session="other")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("abc"), frozenset({"lock"}))


def test_a_context_that_begins_anew_forgets_what_was_before() -> None:
    lines = [line("a", about=["lock"]), line("b", afresh=True), line("c")]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("bc"), frozenset())


def test_other_lines_and_nameless_sessions_say_nothing() -> None:
    lines = [
        {"type": "stored", "sessionId": "s", "observationIds": ["a"]},
        line(session=""),
        {"type": "recalled", "sessionId": "s", "observationIds": "b", "about": 7},
        line("e", 7, ["f"]),  # type: ignore[arg-type]
    ]
    assert already_injected(lines, "s") == AlreadyInjected(frozenset("e"), frozenset())
    assert already_injected([line("a", session="")], "") == AlreadyInjected()
