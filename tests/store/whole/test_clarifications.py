"""A week of questions between agents: what stands after each step, what is told and refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.sentences import done
from store import Memory
from store.clarifications.place import folder_of
from store.clarifications.rules import Question
from store.errors import StoreError
from tests.store.factories import Clock, make_memory
from tests.store.whole.plain import as_text

WORKFLOW = """
[[steps]]
agent = "architect"
can_clarify = ["product-manager"]

[[steps]]
agent = "engineer"
can_clarify = ["architect", "reviewer"]
clarify_max_rounds = 2
clarify_sla_minutes = 10

[[steps]]
agent = "engineer"
clarify_sla_minutes = 20

[[steps]]
agent = "reviewer"
can_clarify = ["engineer"]
clarify_blocking_allowed = false
"""
Step = Callable[[Memory, Clock], object]


def _ask(asker: str, asked: str, topic: str, body: str, blocking: bool = False) -> Step:
    question = Question(asker, asked, topic, body, blocking)
    return lambda memory, clock: memory.clarifications.ask(7, question)


def _answer(number: int, by: str, body: str) -> Step:
    return lambda memory, clock: memory.clarifications.answer(f"CLR-7-{number:03d}", by, body)


def _end(how: str, number: int, by: str, body: str = "") -> Step:
    return lambda memory, clock: getattr(memory.clarifications, how)(
        f"clr-7-{number:03d}", by, body
    )


def _wait(**span: float) -> Step:
    return lambda memory, clock: clock.pass_by(**span)


def _watch(memory: Memory, clock: Clock) -> object:
    found = memory.clarifications.watch()
    return [f"{it.trouble} {it.before.id} {[one.id for one in it.against]}" for it in found]


STEPS: tuple[Step, ...] = (
    _ask("engineer", "architect", "API contract", "Which status for a missing record?", True),
    _ask("engineer", "architect", "api CONTRACT", "And for a removed one?"),
    _ask("engineer", "tester", "Tests", "Which ones?"),
    _ask("engineer", "engineer", "Myself", "Who am I?"),
    _ask("reviewer", "engineer", "Names", "Why x?", True),
    _ask("reviewer", "engineer", "Names", "Why x? password=Hunter2hunter2"),
    _answer(1, "reviewer", "404."),
    _answer(1, "architect", ""),
    _answer(1, "architect", "404, with a body that says which."),
    _answer(1, "architect", "410."),
    _end("resolve", 1, "architect"),
    _ask("engineer", "architect", "API contract", "And for a removed one?", True),
    _wait(minutes=10),
    _watch,
    _wait(seconds=1),
    _watch,
    _wait(minutes=10),
    _watch,
    _wait(seconds=1),
    _watch,
    _end("escalate", 1, "engineer"),
    _answer(1, "anybody", "404, with a body that says which!"),
    _end("resolve", 1, "engineer"),
    _end("abandon", 1, "engineer"),
    _end("abandon", 2, "engineer"),
    _end("abandon", 2, "reviewer", "No longer needed."),
    _ask("architect", "product-manager", "Scope", "Is search in?", True),
    _ask("product-manager", "architect", "Cost", "What does search cost?", True),
    _watch,
    _watch,
    _answer(3, "product-manager", "Search is in."),
    _ask("architect", "product-manager", "Scope", "All of it?"),
    _answer(3, "product-manager", "Search is in!"),
    _watch,
    _end("resolve", 9, "engineer"),
    _end("resolve", 3, "architect", "Settled by a person."),
    _wait(days=7),
    _watch,
)
"""What happens, in this order."""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    workflows = tmp_path / ".agentx" / "workflows"
    workflows.mkdir(parents=True)
    (workflows / "feature.toml").write_text(WORKFLOW)
    with make_memory(tmp_path, clock) as memory:
        yield memory


def _standing(memory: Memory) -> list[str]:
    return [
        f"{it.id} {it.asker} > {it.asked} {it.topic} {it.status} {it.round}/{it.max_rounds}"
        f"{' blocking' * it.blocking} since {it.since:%m-%d %H:%M:%S}"
        f" late {it.stale_after:%m-%d %H:%M:%S}"
        f" {it.gave_way_to} said {len(it.thread)}: {it.thread[-1].by}: {it.thread[-1].body}"
        for it in memory.clarifications.read().open_first
    ]


def test_a_week_of_questions(memory: Memory, clock: Clock, snapshot: SnapshotAssertion) -> None:
    agents = ("engineer", "architect", "product-manager", "reviewer", "tester")
    story: list[object] = []
    before: list[str] = []
    for number, step in enumerate(STEPS, 1):
        try:
            answer = step(memory, clock)
        except StoreError as error:
            answer = f"refused: {error.message} {error.hint}"
        now = _standing(memory)
        changed = [line for line in now if line not in before]
        before = now
        said = answer if isinstance(answer, str | list) else ""
        told = [line for it in agents for line in memory.clarifications.told_to(it, 7)]
        story.append([f"{number}. {clock.now:%d %H:%M:%S}", said, changed, len(told)])
    assert as_text(story) == snapshot(name="story")
    told_to = {it: [*memory.clarifications.told_to(it, 7)] for it in agents}
    assert as_text(told_to) == snapshot(name="told at a session's start")
    assert as_text(memory.clarifications.agent_states()) == snapshot(name="states")
    assert as_text(memory.clarifications.workflows()) == snapshot(name="workflows")
    history = [
        f"{done(it.action)} {it.count} {it.about} {it.undone}" for it in memory.history.operations()
    ]
    assert as_text(history) == snapshot(name="history")
    decided = memory.clarifications.plan_decision("CLR-7-001")
    assert as_text(decided.changes[0].after) == snapshot(name="decision")


def test_every_step_can_be_taken_back(
    memory: Memory, clock: Clock, snapshot: SnapshotAssertion
) -> None:
    ledger = folder_of(memory.path) / "issue-7.json"
    kept: list[str | None] = []
    for step in (STEPS[0], STEPS[8], STEPS[11], STEPS[5]):
        kept.append(ledger.read_text() if ledger.exists() else None)
        step(memory, clock)
        clock.pass_by(minutes=1)
    assert as_text(json.loads(ledger.read_text())) == snapshot
    for text in reversed(kept):
        memory.undo()
        found = json.loads(ledger.read_text()) if ledger.exists() else {}
        before = json.loads(text) if text else {}
        assert found.get("clarifications", []) == before.get("clarifications", [])
