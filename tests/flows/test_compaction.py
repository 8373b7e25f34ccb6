"""The compaction preview: leave a cluster out, move an observation out, apply, undo."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.tui.compaction.clusters import ClusterList
from memtui.tui.compaction.savings import Savings
from memtui.tui.compaction.screen import CompactionScreen
from store import Memory, Observation, open_memory
from store.compaction.model import CompactionPlan
from store.operations.apply import Applied
from store.operations.plan import GoesOn, Plan
from tests.flows.stage import (
    ALL_SIZES,
    NARROW,
    NOW,
    Looks,
    browse,
    fill,
    open_at,
    press,
    running,
    screen_text,
    send,
    settled,
    swap,
    told,
    under_cursor,
    until_shown,
)
from tests.flows.stories import toasts

pytestmark = pytest.mark.usefixtures("still")

TO_ALL = ("c", "j", "j", "enter")
"""Opens the preview of all issues."""


_SAID = """
29 decision    engineer  30 We keep the lock in `store/locks.py`, because two writers lost updates
   on a network disk; it waits at most 5 seconds.
29 decision    reviewer  29 Because two writers lost updates on a network disk, we retain the lock
   in `store/locks.py`; it waits at most 5 seconds.
29 decision    architect 28 We keep the lock in `store/locks.py`, because two writers lost updates
   on a network disk; it waits at most 5 seconds (see docs/locks.md).
29 error       engineer  27 `release_lock` failed on Windows with a PermissionError, because
   `manifest.json` was open.
29 code-change engineer  26 Fixed `release_lock`: `manifest.json` is closed before the lock goes.
29 code-change engineer  25 `store/manifest.py`: writes the manifest through a temporary file.
29 code-change engineer  24 `store/manifest.py`: syncs the folder after the rename.
29 code-change engineer  23 `store/manifest.py`: keeps entries that it does not understand.
31 key-fact    tester    22 The search index holds 50,000 observations in 62 MB and opens in 12 ms.
31 key-fact    engineer  12 The search index now holds 50,000 observations in 48 MB and opens in
   9 ms.
31 lesson      tester    21 Always run the search tests before a release: facets broke twice.
31 lesson      reviewer  20 Always execute the search tests before a release: facets broke twice.
31 key-fact    reviewer  19 Queries in Japanese need a field of their own in the index.
40 task        architect 18 Decide who settles the manifest when two programs write at once.
40 handoff     architect 17 Locks are done. Next: the index, then the doctor. Tests are green.
40 lesson      engineer   2 Ask the lock who holds it before blaming the disk.
"""


def _observations(said: str) -> Iterator[Observation]:
    lines = said.strip().replace("\n   ", " ").split("\n")
    for number, line in enumerate(lines, start=1):
        issue, category, agent, days, content = line.split(maxsplit=4)
        yield Observation(
            agent=agent,
            issue_number=int(issue),
            category=category,
            content=content,
            id=f"obs-{agent}-{issue}-{number:03}",
            timestamp=NOW - timedelta(days=int(days)),
        )


RETOLD = list(_observations(_SAID))
"""What several agents said about the same work."""


@pytest.fixture
def retold(tmp_path: Path) -> Path:
    """A store in which several agents report the same."""
    return fill(tmp_path / "memory", RETOLD)


async def test_clusters_are_looked_at_left_out_moved_out_and_applied(
    retold: Path, looks: Looks
) -> None:
    async with running(retold) as pilot:
        await press(pilot, "c")
        assert await looks(pilot, "scopes")
        # The issue of the row under the cursor: a young lesson, open task, the last handoff.
        await press(pilot, "enter")
        assert await looks(pilot, "nothing_to_compact")
        await press(pilot, "escape", *TO_ALL)
        assert await looks(pilot, "preview", ALL_SIZES)
        await press(pilot, "j", "space")
        assert await looks(pilot, "left_out")
        await press(pilot, "ctrl+r", "g")
        assert memories(pilot) == (16, 12)
        clusters = pilot.app.screen.query_one(ClusterList)
        await press(pilot, "space")
        assert memories(pilot) == (16, 14)
        await press(pilot, "k", "space", "g")
        assert memories(pilot) == (16, 12)
        await press(pilot, "M", "M")
        assert under_cursor(clusters).originals[0].id != "obs-architect-29-003"
        assert memories(pilot) == (16, 13)
        await press(pilot, "ctrl+r")
        assert memories(pilot) == (16, 12)
        await press(pilot, "g", *["space"] * 3, "enter")
        assert "nothing to apply" in toasts(pilot)[-1]
        assert isinstance(pilot.app.screen, CompactionScreen)
        await press(pilot, "ctrl+r", "g", "space", "enter", "enter")
        assert await looks(pilot, "applied")


async def test_read_only(retold: Path, looks: Looks) -> None:
    opening = told(lambda state: state._replace(writable=False))
    async with running(retold, opening=opening) as pilot:
        await press(pilot, *TO_ALL, "enter")
        assert await looks(pilot)


def slow(gate: threading.Event) -> Callable[[Path], Memory]:
    """Opens a memory whose planning waits at its first step until the gate is open."""

    def opening(path: Path) -> Memory:
        memory = open_memory(path, cache=path.parent / "cache")
        plan_compaction = memory.compaction.plan

        def slowly(
            issue: int | None = None,
            *,
            stale: bool = False,
            all: bool = False,
            progress: Callable[[int, int], None] | None = None,
        ) -> CompactionPlan:
            assert progress is not None
            while not gate.is_set():
                progress(12_000, 50_000)
                gate.wait(0.02)
            return plan_compaction(issue, stale=stale, all=all, progress=progress)

        swap(memory.compaction, "plan", slowly)
        return memory

    return opening


def slow_to_apply(gate: threading.Event) -> Callable[[Path], Memory]:
    """Opens a memory that applies one issue, then waits until the gate is open."""

    def opening(path: Path) -> Memory:
        memory = open_at(path)
        apply = memory.apply

        def slowly(plan: Plan, goes_on: GoesOn | None = None) -> Applied:
            def waits(done: int, total: int) -> bool:
                goes = goes_on is None or goes_on(done, total)
                if done == 1:
                    gate.wait(60)
                    return goes_on is None or goes_on(done, total)
                return goes

            return apply(plan, waits)

        swap(memory, "apply", slowly)
        return memory

    return opening


async def test_planning(retold: Path, looks: Looks) -> None:
    gate = threading.Event()

    async with running(retold, opening=slow(gate), size=NARROW) as pilot:
        await press(pilot, "c", "j", "j")
        send(pilot, "enter")
        await until_shown(pilot, "12,000 of 50,000")
        try:
            assert await looks(pilot)
        finally:
            gate.set()


async def test_esc_stops_between_two_issues(retold: Path) -> None:
    gate = threading.Event()
    async with running(retold, opening=slow_to_apply(gate)) as pilot:
        await press(pilot, *TO_ALL, "enter")
        send(pilot, "enter")
        await until_shown(pilot, "1 of 2 issues")
        send(pilot, "escape")
        await until_shown(pilot, "Stopping after this issue")
        gate.set()
        await settled(pilot)
        assert pilot.app.screen is browse(pilot)
        assert "Compacted 1 of 2 issues · u to undo" in toasts(pilot)[-1]
        assert "Stopped: 1 of 2 issues left unchanged." in toasts(pilot)[-1]
        with open_at(retold, "other") as memory:
            assert len(memory.by_issue(29)) == 6
            assert len(memory.by_issue(31)) == 5
        await press(pilot, "u")
    with open_at(retold, "another") as memory:
        for issue in (29, 31):
            mine = [item for item in RETOLD if item.issue_number == issue]
            assert {item.id for item in memory.by_issue(issue)} == {item.id for item in mine}


def memories(pilot: Pilot[None]) -> tuple[int, int]:
    plan = pilot.app.screen.query_one(Savings).plan
    assert plan is not None
    return plan.observations


async def test_a_strategy_prunes_what_is_beyond_a_capacity(retold: Path) -> None:
    (retold.parent / "memtui.toml").write_text("capacities = { episodic = 1 }\n")
    async with running(retold) as pilot:
        await press(pilot, "c", *"jjjj")
        shown = screen_text(pilot)
        assert "Prune the oldest" in shown
        await press(pilot, "enter")
        assert "Prune 4 memories" in screen_text(pilot)
        await press(pilot, "enter")
        assert toasts(pilot)[-1].startswith("Pruned 4 memories")
        await press(pilot, "u", "c", "G", "enter")
        assert "Nothing to prune." in toasts(pilot)[-1]
