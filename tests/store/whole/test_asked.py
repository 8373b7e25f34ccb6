"""What a month's memory says of itself: figures, what belongs together, what could be archived."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.words.sentences import done
from store import AgentMemory, Memory, open_memory
from store.agents.files import files_at
from store.errors import InvalidObservation
from store.evolving.interaction import Interaction
from store.model import Layer
from store.operations.plan import Plan
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, make_memory, observation
from tests.store.whole.day import day
from tests.store.whole.month import stored_month
from tests.store.whole.plain import as_text


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    root = tmp_path_factory.mktemp("month")
    (root / "day.jsonl").write_text("\n".join(day().lines))
    memory = stored_month(root)
    memory.sessions.index(list(files_at([root / "day.jsonl"], "claude-code")))
    memory.store(
        [
            observation("As [[lease-row]] says, and [[w5]]", issue_number=7, agent="tester"),
            observation("Beside [[obs-1]] and #lease", issue_number=8, sources=("w1", "w2")),
            observation("# Lease row\n\nKept in one row", issue_number=8, session_id="s1"),
        ]
    )
    return memory


def test_what_belongs_to_each_memory(memory: Memory, snapshot: SnapshotAssertion) -> None:
    told = []
    for name in [*(f"w{at}" for at in range(18)), "m2", "m9", "m14", "obs-1", "obs-2", "obs-3"]:
        found = memory.related(memory.get(name))
        told.append(f"{name}: " + ", ".join(f"{it.relation} {it.observation.id}" for it in found))
    assert "\n".join(told) == snapshot


def test_figures(memory: Memory, snapshot: SnapshotAssertion) -> None:
    memory.search("lease")
    memory.record_failure("hook user-prompt", "Too late.")
    state, told = memory.state(), memory.statistics()
    days = " ".join(f"{at}:{count}" for at, count in enumerate(told.figures.days) if count)
    timings = {
        work: [it.done, it.middle is not None, it.slow is not None, it.failed, it.message]
        for work, it in told.timings.items()
    }
    assert told.size_bytes == memory.stats().size_bytes
    figures = [
        memory.stats()._replace(size_bytes=0),
        [state.total, state.tokens, state.writable, state.problems, state.path == memory.path],
        [replace(told.figures, days=()), days, told.growth, timings],
    ]
    assert as_text(figures) == snapshot


def _planned(plan: Plan) -> list[object]:
    made = [f"{it.issue} {it.location} {it.id}" for it in plan.changes if it.before is None]
    return [done(plan.action), len(plan.changes), " ".join(made)]


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(stale_archive_after_days=5),
        Settings(capacities={"episodic": 2}),
        Settings(capacities={"episodic": 900, "semantic": 1}, stale_archive_after_days=5),
    ],
    ids=["usual", "soon stale", "few episodes", "few facts"],
)
def test_what_could_go(tmp_path: Path, settings: Settings, snapshot: SnapshotAssertion) -> None:
    stored_month(tmp_path)
    memory = open_memory(tmp_path / ".agentx" / "memory", cache=tmp_path / "cache",
                         settings=settings, clock=Clock(), new_id=Ids())  # fmt: skip
    excess = memory.upkeep.excess()
    assert excess == memory.upkeep.excess(fresh=False)
    plan = memory.upkeep.plan()
    assert as_text([excess, _planned(plan)]) == snapshot


@pytest.mark.parametrize("given", [{}, {"stale": True, "all": True}, {"issue": 7, "all": True}])
def test_one_thing_is_to_be_compacted(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidObservation) as refused:
        memory.compaction.plan(**given)
    assert (refused.value.message, refused.value.hint) == (
        "Nothing to compact was given.",
        "Give an issue, the stale issues or all.",
    )


TURNS = (
    Interaction(
        "i-1", "Why is the login test red?", NOW - timedelta(minutes=50), "T 1",
        "The root cause: the lease is taken twice in `queue.py:31`, so that both run the job.",
        ("read queue.py", "take the lease once"), "The test is green.", True,
    ),
    Interaction("i-2", "Deploy it", NOW - timedelta(minutes=40), "T 1", "", ("push",), "", False),
    Interaction("i-3", "Deploy it again", NOW - timedelta(minutes=61), "T 1", "", ("push",)),
    Interaction("i-4", "Is the login test green?", NOW - timedelta(minutes=5), "T 2"),
    Interaction("i-5", "And now?", NOW - timedelta(days=3), "", "Green.", (), "Merged.", None),
)  # fmt: skip


@pytest.fixture
def agent(tmp_path: Path) -> AgentMemory:
    memory = make_memory(tmp_path)
    AgentMemory(memory, "other").add_interaction(TURNS[0])
    own = AgentMemory(memory, "a1")
    for turn in TURNS:
        own.add_interaction(turn)
    memory.store(
        [
            observation("Mend the login lease", agent="a1", category="task", tags=("task-t-1",)),
            observation("Login leases end", agent="a1", muted=True),
            observation("Login leases end late", agent="a1", pinned=True),
        ]
    )
    return own


def test_one_agents_own_memory(agent: AgentMemory, snapshot: SnapshotAssertion) -> None:
    told: dict[str, object] = {"statistics": agent.statistics(NOW)}
    for layers in ((), (Layer.WORKING,), tuple(Layer)):
        for query in ("login test lease", "deploy", ""):
            found = agent.retrieve_memories(query, NOW, k=6, layers=layers)
            told[f"{query} of {','.join(layers)}"] = [
                f"{it.observation.id} {it.layer} {it.relevance:.3f} {it.importance:.3f}"
                f" {it.observation.content}"
                for it in found
            ]
    for task, most in (("", 2_000), ("T 1", 2_000), ("T 2", 40), ("", 20), ("", 0)):
        told[f"context of {task or 'any'} in {most}"] = agent.relevant_context(
            "login test lease", NOW, task_id=task, max_tokens=most
        )
    told["updated"] = agent.update_memory("obs-4", {"tags": ("x",), "pinned": True})
    told["pruned"] = agent.prune_memories("least_relevant", Layer.EPISODIC)
    told["after"] = agent.statistics(NOW)
    assert as_text(told) == snapshot


def test_the_name_of_an_agent_is_a_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidObservation) as refused:
        AgentMemory(make_memory(tmp_path), "a b")
    assert (refused.value.message, refused.value.hint) == (
        "The agent's name is invalid.",
        "Use 1 to 64 letters, digits, `.`, `_` or `-`.",
    )
