"""Memories of a month: what a compaction merges, what pruning takes, what an export says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from syrupy.assertion import SnapshotAssertion

from memtui.sample.generator import sample_observations
from memtui.sample.retold import retold
from store.compaction.compact import moved_out, plan_compaction, without
from store.compaction.model import CompactionSettings, Strength
from store.compaction.prune import Strategy, prune
from store.exchange.export import to_text
from store.exchange.vault import vault_files
from store.model import Layer, Observation
from tests.store.whole.plain import as_text

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
WORKED_OVER = (
    ("engineer", "error", "`make load` failed in shop/load.py: MemoryError: rows at line 31"),
    ("engineer", "code-change", "shop/load.py: Fixed MemoryError: rows by reading row by row."),
    ("engineer", "code-change", "shop/load.py: Closes each file after it was read."),
    ("reviewer", "code-change", "shop/load.py: Logs how many rows were read, once a file."),
    ("engineer", "code-change", "shop/load.py: Skips rows without a number. Asked: skip them"),
    ("engineer", "key-fact", "The lease of a queue ends after 30 seconds. It is kept in one row."),
    ("reviewer", "key-fact", "The lease of a queue ends after 5 seconds. It is kept in one row."),
    ("engineer", "decision", "Jobs older than a year move to cold storage for ten years."),
    ("reviewer", "decision", "Jobs older than one year move to cold storage for ten years."),
    ("engineer", "lesson", "Run the linter before each commit."),
    ("engineer", "lesson", "Run the linter before each commit. Run the tests too."),
    ("engineer", "key-fact", "The gateway closes at 41 requests a minute."),
    ("tester", "key-fact", "Requests a minute at which the gateway closes: 41, said the vendor."),
    ("engineer", "error", "`pytest tests` failed: KeyError: lease in shop/queue.py"),
    ("tester", "error", "`pytest tests` failed: KeyError: lease in shop/queue.py again"),
    ("engineer", "handoff", "Done: the lease. Next: measure it with two writers."),
    ("engineer", "handoff", "Done: measured with two writers. Next: the manual."),
    ("engineer", "task", "Write the manual page of leases"),
)
CAPACITIES = {Layer.EPISODIC: 3, Layer.SEMANTIC: 2, Layer.WORKING: 1, Layer.PROCEDURAL: 1}


@pytest.fixture(scope="module")
def month() -> list[Observation]:
    """The demo's memories, the ids in the order in which they were told."""
    told = sample_observations(NOW)
    everything = [*told, *retold(told), *worked_over()]
    return [it._replace(id=f"m{number}", archived=False) for number, it in enumerate(everything)]


def worked_over() -> list[Observation]:
    """An issue in which the same things were said, changed and mended again and again."""
    return [
        Observation(
            agent=agent,
            issue_number=7,
            category=category,
            content=content,
            id=f"w{number}",
            summary=content[:60],
            tokens=-(-len(content) // 4),
            timestamp=NOW - timedelta(days=40 - number, minutes=number),
            session_id=f"s{number // 3}",
            sources=(f"s{number // 3}:{number}",),
            recall_count=number % 4,
            seen_count=1 + number % 2,
            tags=("queue",) if number % 2 else ("lease", "queue"),
        )
        for number, (agent, category, content) in enumerate(WORKED_OVER)
    ]


@pytest.mark.parametrize("strength", Strength)
def test_a_compaction(
    month: list[Observation], strength: Strength, snapshot: SnapshotAssertion
) -> None:
    settings = CompactionSettings(strength=strength, young_days=3, stale_days=60)
    plan = plan_compaction(month, now=NOW, settings=settings)
    assert as_text(plan.clusters) == snapshot
    alone = [f"{it.observation.id} {it.why}" for it in plan.left_alone]
    assert as_text(alone) == snapshot(name="left alone")
    largest = max(plan.clusters, key=lambda it: len(it.originals))
    less = moved_out(plan, largest.originals[0].id)
    assert as_text([[o.id for o in it.originals] for it in less.clusters]) == snapshot(name="less")
    assert len(without(plan, largest.id).clusters) == len(plan.clusters) - 1


@pytest.mark.parametrize("strategy", Strategy)
def test_a_pruning(
    month: list[Observation], strategy: Strategy, snapshot: SnapshotAssertion
) -> None:
    found = prune(month, strategy, now=NOW, capacities=CAPACITIES)
    folded = [(it.reason, [one.id for one in it.originals]) for it in found.clusters]
    assert as_text([[it.id for it in found.archived], folded]) == snapshot


@pytest.mark.parametrize("name", ["json-lines", "markdown"])
def test_an_export(month: list[Observation], name: str, snapshot: SnapshotAssertion) -> None:
    assert to_text(month[::9], name) == snapshot


def test_a_vault(month: list[Observation], snapshot: SnapshotAssertion) -> None:
    files = vault_files(month[::9])
    assert as_text({path: (data or b"").decode() for path, data in files.items()}) == snapshot
