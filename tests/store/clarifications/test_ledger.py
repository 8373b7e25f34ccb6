"""Ledgers on disk: AgentX's format and locks, hostile ground, and undo."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from store import Memory
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.rules import Question
from store.errors import Conflict, StoreError, Unreadable, WriteFailed
from store.events import Event
from tests.store.clarifications.stage import NOW

QUESTION = Question("engineer", "architect", "API contract", "Which status?", blocking=True)
EVENTS = ("requested", "answered", "stale", "resolved", "escalated")


class World:
    """A project with a memory, a clock that tests move, and the events that were told."""

    def __init__(self, project: Path) -> None:
        self.now = NOW
        self.memory = Memory(
            project / ".agentx" / "memory", cache=project / "cache", clock=lambda: self.now
        )
        self.project = project
        self.folder = project / ".agentx" / "state" / "clarifications"
        self.file = self.folder / "issue-29.json"
        self.events: list[str] = []
        for name in EVENTS:
            self.memory.events.subscribe(f"clarification-{name}", self._told)

    def _told(self, event: Event) -> None:
        self.events.append(event.name.removeprefix("clarification-"))

    @property
    def ledger(self) -> dict[str, Any]:
        """What the file of issue 29 holds."""
        values: dict[str, Any] = json.loads(self.file.read_bytes())
        return values

    def wait(self, minutes: int) -> None:
        """Let time pass."""
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_each_change_is_told_and_taken_back_and_done_again(world: World) -> None:
    memory = world.memory
    it = memory.clarifications.ask(29, QUESTION)
    states = [world.ledger]
    memory.clarifications.answer(it.id, "architect", "404")
    states.append(world.ledger)
    memory.clarifications.resolve(it.id, "engineer", "404 it is")
    assert world.events == ["requested", "answered", "resolved"]
    told = [entry["timestamp"] for entry in world.ledger["clarifications"][0]["thread"]]
    assert told == ["2026-02-27T10:00:00.000Z"] * 3
    assert [entry.kind for entry in memory.activity(9).entries][:3] == [
        "resolved",
        "answered",
        "asked",
    ]
    final = world.ledger
    memory.undo()
    assert world.ledger == states[1]
    memory.undo()
    assert world.ledger == states[0]
    memory.undo()
    assert world.ledger["clarifications"] == []
    for _ in range(3):
        memory.redo()
    assert world.ledger == final


def test_an_undo_leaves_what_was_answered_since(world: World) -> None:
    memory = world.memory
    it = memory.clarifications.ask(29, QUESTION)
    operation = memory.history.last_operation().id
    memory.clarifications.answer(it.id, "architect", "404")
    with pytest.raises(Conflict) as refused:
        memory.undo(operation)
    assert [(it.kind, dict(it.values)) for it in refused.value.notes] == [
        ("changed-since", {"what": it.id})
    ]
    assert world.ledger["clarifications"][0]["status"] == "answered"


def test_what_is_not_understood_is_kept(world: World) -> None:
    world.memory.clarifications.ask(29, QUESTION)
    ledger = world.ledger
    record = ledger["clarifications"][0]
    record["priority"] = "high"
    record["thread"] = [7, *record["thread"], {"type": "note", "body": "seen", "who": 1}]
    ledger["clarifications"] += ["what is this", {"id": "CLR-29-009"}, {"id": ["x"]}]
    ledger["version"] = 2
    world.file.write_text(json.dumps(ledger))
    found = world.memory.clarifications.read()
    assert [it.id for it in found.clarifications] == ["CLR-29-001"]
    assert [it.message[:16] for it in found.problems] == [
        f"Clarification {number}:" for number in (2, 3, 4)
    ]
    world.memory.clarifications.answer("clr-29-001", "architect", "404")
    after = world.ledger
    assert after["version"] == 2 and after["clarifications"][1:] == ledger["clarifications"][1:]
    assert after["clarifications"][0]["priority"] == "high"
    assert after["clarifications"][0]["thread"][:-1] == record["thread"]


def test_a_broken_ledger_is_named_and_left(world: World) -> None:
    world.memory.clarifications.ask(30, QUESTION)
    world.file.write_bytes(b'{"clarifications": [')
    found = world.memory.clarifications.read()
    assert len(found.clarifications) == 1 and "not valid JSON" in found.problems[0].message
    with pytest.raises(Unreadable):
        world.memory.clarifications.ask(29, QUESTION)
    assert world.file.read_bytes() == b'{"clarifications": ['
    paths = [it.path for it in world.memory.doctor.examine().findings if it.is_problem]
    assert paths == ["clarifications/issue-29.json"]


@pytest.mark.parametrize(
    "text",
    [
        '{"clarifications": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"clarifications": {}}',
        '{"clarifications": [{"id": "a", "round": 1e999, "thread": {"a": 1}}, 5, "x"]}',
        "[]",
        "\ufeff",
    ],
    ids=["deep", "no list", "no records", "no object", "no text"],
)
def test_hostile_ledgers(world: World, text: str) -> None:
    world.memory.clarifications.ask(30, QUESTION)
    world.file.write_text(text)
    found = world.memory.clarifications.read()
    assert [it.issue for it in found.clarifications] == [30]
    assert {it.path for it in found.problems} == {"clarifications/issue-29.json"}
    assert world.file.read_text() == text


def test_ledger_just_being_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.memory.clarifications.ask(29, QUESTION)
    whole = world.file.read_bytes()
    world.file.write_bytes(whole[:20])
    (world.folder / "issue-29.json.lock").write_text("{}")
    waits = iter((None, None, world.file.write_bytes))

    def pass_by(seconds: float) -> None:
        if (write := next(waits)) is not None:
            write(whole)

    monkeypatch.setattr(time, "sleep", pass_by)
    assert len(world.memory.clarifications.read(29).clarifications) == 1
    assert len(world.memory.clarifications.read().clarifications) == 1


@pytest.mark.parametrize("link", ["state", "state/clarifications", "state/clarifications/issue-29"])
def test_no_link_is_followed(world: World, link: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = world.project / ".agentx" / link
    place = place.with_suffix(".json") if "issue" in link else place
    place.parent.mkdir(parents=True, exist_ok=True)
    target = elsewhere / "ledger.json" if "issue" in link else elsewhere
    place.symlink_to(target)
    with pytest.raises((Unreadable, WriteFailed, FileNotFoundError)) as caught:
        world.memory.clarifications.ask(29, QUESTION)
    assert isinstance(caught.value, StoreError)
    assert list(elsewhere.iterdir()) == []


def test_secrets_and_private_text_stay_out_and_foreign_ones_are_not_shown(world: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    body = f"Is {secret} right? <private>mine</private>"
    world.memory.clarifications.ask(29, Question("Agent X", "architect", "Keys", body))
    assert secret not in world.file.read_text() and "mine" not in world.file.read_text()
    ledger = world.ledger
    assert ledger["clarifications"][0]["from"] == "Agent-X"
    ledger["clarifications"][0]["thread"][0]["body"] = body
    world.file.write_text(json.dumps(ledger))
    (shown,) = world.memory.clarifications.read().clarifications
    assert secret not in shown.thread[0].body
    told = "\n".join(world.memory.clarifications.lines_for("architect", 29))
    assert "Agent-X asks you" in told and secret not in told and "mine" not in told


def test_a_workflow_has_bounds(world: World) -> None:
    folder = world.project / ".agentx" / "workflows"
    folder.mkdir(parents=True)
    (folder / "crowd.toml").write_text("".join(f"[[steps]]\nagent='a{n}'\n" for n in range(9_000)))
    (folder / "deep.toml").write_text(f"a{'.a' * 100_000} = 1\n")
    begun = process_time()
    problems = world.memory.clarifications.workflows().problems
    assert process_time() - begun < 2  # by the square of their number they took five, and minutes
    (deep,) = problems
    assert deep.path == "workflows/deep.toml" and "64 levels" in deep.message


# Changing clarifications: each ledger by itself.


@pytest.mark.parametrize("at", [0, 1])
def test_of_two_with_one_id_the_first_is_changed_and_the_other_stays(
    tmp_path: Path, at: int
) -> None:
    ledgers = ClarificationLedgers(tmp_path / ".agentx" / "memory")
    ledgers.folder.mkdir(parents=True)
    before: list[dict[str, Any]] = [{"id": it, "topic": f"{number}"} for number, it in
                                    enumerate(("a", "b", "a", "b", "c"))]  # fmt: skip
    file = ledgers.folder / "issue-29.json"
    file.write_text(json.dumps({"clarifications": before, "version": 7}))
    name = "ab"[at]
    with ledgers.changing(29) as records:
        assert records[name] == before[at]
        records[name] = {"id": name, "topic": "new"}
    after = json.loads(file.read_bytes())
    assert after["clarifications"] == [
        {"id": name, "topic": "new"} if number == at else it for number, it in enumerate(before)
    ]
    assert after["version"] == 7
    with ledgers.changing(29) as records:
        del records[name]
        records["z"] = {"id": "z"}
    left = [it["topic"] for it in json.loads(file.read_bytes())["clarifications"][:-1]]
    assert left == [f"{number}" for number in range(5) if number != at]
    assert json.loads(file.read_bytes())["clarifications"][-1] == {"id": "z"}
