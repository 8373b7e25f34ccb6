"""What is told of clarifications as they change, whose they are, and by which ids they go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.clarifications.rules import Question
from store.events import ClarificationEvent, Event, MemoryChanged
from tests.store.factories import Clock, logged, make_memory

ASKED = Question("engineer", "architect", "API contract", "Which status?")
EFFORT = Question("architect", "engineer", "Effort", "How long?", blocking=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return make_memory(tmp_path, clock)


def _heard(memory: Memory) -> list[tuple[str, object]]:
    heard: list[tuple[str, object]] = []

    def hear(event: Event) -> None:
        if isinstance(event, MemoryChanged):
            heard.append((event.kind, event.count))
        elif isinstance(event, ClarificationEvent):
            heard.append((event.name.removeprefix("clarification-"), (event.id, event.round)))

    memory.events.subscribe("memory-changed", hear)
    for name in ("requested", "answered", "stale", "resolved", "escalated"):
        memory.events.subscribe(f"clarification-{name}", hear)
    return heard


def _lines(memory: Memory) -> list[tuple[str, object]]:
    return [(it["type"], it.get("agent")) for it in logged(memory.path)]


def test_each_round_is_told_and_the_log_names_who_spoke(memory: Memory) -> None:
    heard, doors = _heard(memory), memory.clarifications
    it = doors.ask(29, ASKED)
    doors.answer(it.id, "architect", "404")
    again = doors.ask(29, ASKED._replace(body="And for a gone one?"))
    doors.answer(it.id, "architect", "410")
    doors.resolve(it.id, "engineer")
    assert (again.id, again.round) == (it.id, 2)
    named = [(name, (it.id, number)) for name, number in
             (("requested", 1), ("answered", 1), ("requested", 2), ("answered", 2),
              ("resolved", 2))]  # fmt: skip
    assert heard == named
    assert _lines(memory) == [
        ("asked", "engineer"),
        ("answered", "architect"),
        ("asked", "engineer"),
        ("answered", "architect"),
        ("resolved", "engineer"),
    ]
    line = logged(memory.path)[0]
    assert (line["clarification"], line["message"], line["issueNumber"]) == (
        it.id,
        "API contract",
        29,
    )
    assert line["operation"] == memory.history.operations()[-1].id == it.operation
    assert again.operation == memory.history.operations()[2].id


def test_of_what_the_monitor_does_what_is_said_is_told_and_else_that_it_did_something(
    memory: Memory, clock: Clock
) -> None:
    doors = memory.clarifications
    doors.ask(29, ASKED._replace(blocking=True))
    doors.ask(29, EFFORT)
    heard = _heard(memory)
    assert [it.trouble for it in doors.watch()] == ["deadlock"]
    assert heard == [("monitor", 1)]
    heard.clear()
    clock.pass_by(minutes=20)
    doors.ask(30, EFFORT)
    doors.ask(30, ASKED._replace(blocking=True))
    heard.clear()
    clock.pass_by(minutes=20)
    found = doors.watch()
    assert sorted(it.trouble for it in found) == ["deadlock", "late", "late"]
    assert heard == [("stale", ("CLR-29-001", 1)), ("stale", ("CLR-29-002", 1))]
    assert memory.history.operations()[0].action.figures == {
        "clarifications": 3,
        "asked_again": 2,
        "unblocked": 1,
    }


def _rewritten(memory: Memory, issue: int, *records: Mapping[str, Any]) -> None:
    place = memory.path.parent / "state" / "clarifications" / f"issue-{issue}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"issueNumber": issue, "clarifications": records}))


def _record(identifier: str, **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "id": identifier,
        "from": "engineer",
        "to": "architect",
        "topic": "API",
        "status": "pending",
        "created": "2026-03-01T12:00:00.000Z",
        "staleAfter": "2026-03-01T12:30:00.000Z",
        **keys,
    }


@pytest.mark.parametrize(
    "identifier", ["CLR-29-001", "clr-29-002", "Clr-29-x", "q-1", "Q-Two", "clr-1234567890-1"]
)
def test_one_is_found_by_its_id_in_any_case_whoever_gave_it(
    memory: Memory, identifier: str
) -> None:
    _rewritten(memory, 29, _record("clr-29-000"), _record(identifier), _record("CLR-29-999"))
    for asked in (identifier, identifier.upper(), f" {identifier.lower()} "):
        memory.clarifications.escalate(asked, "engineer")
        found = memory.clarifications.read(29).clarifications
        assert [it.status for it in found] == ["pending", "escalated", "pending"]
        memory.undo()


def test_each_is_told_what_concerns_it_as_if_what_is_due_was_done(
    memory: Memory, clock: Clock
) -> None:
    doors = memory.clarifications
    doors.ask(29, ASKED)
    doors.ask(30, Question("reviewer", "qa", "Tests", "Which?"))
    clock.pass_by(minutes=31)
    doors.watch()
    clock.pass_by(minutes=31)
    before = [it.status for it in doors.read().clarifications]
    assert doors.told_to("architect", 29) == ()
    _, line = doors.told_to("engineer", 29)
    assert line == "- You wait for a person on CLR-29-001: API contract"
    assert doors.told_to("engineer", 30) == ()
    assert len(doors.told_to("reviewer", None)) == 2
    assert doors.told_to("nobody", None) == ()
    assert [it.status for it in doors.read().clarifications] == before == ["stale", "stale"]


def test_who_waits_is_asked_again_once_a_ledger_differs(memory: Memory) -> None:
    doors = memory.clarifications
    it = doors.ask(29, ASKED._replace(blocking=True))
    assert doors.agent_states() == {"architect": "clarifying", "engineer": "blocked-clarification"}
    doors.answer(it.id, "architect", "404")
    assert doors.agent_states() == {}
    _rewritten(memory, 30, _record("x", **{"from": "qa", "to": "dev"}))
    assert doors.agent_states() == {"dev": "clarifying"}


def test_what_changes_together_is_written_to_each_ledger(memory: Memory, clock: Clock) -> None:
    for issue in (31, 29, 30):
        for identifier in (f"CLR-{issue}-001", f"CLR-{issue}-002"):
            records = (*memory.clarifications.read(issue).clarifications,)
            known = [dict(_record(it.id)) for it in records]
            _rewritten(memory, issue, *known, _record(identifier))
    clock.pass_by(minutes=31)
    assert len(memory.clarifications.watch()) == 6
    assert {it.status for it in memory.clarifications.read().clarifications} == {"stale"}
    memory.undo()
    assert {it.status for it in memory.clarifications.read().clarifications} == {"pending"}
