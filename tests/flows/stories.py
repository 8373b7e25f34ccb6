"""Stores with a past: what was changed, what was broken, what happened to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from store import MemoryPipeline, Observation, open_memory
from store.disk.activity import append_activity
from store.disk.records import format_time
from store.operations import apply as applying
from tests.flows.stage import NOW, fill

CONTENTS = (
    (
        "decision",
        "engineer",
        29,
        "One file for each issue, because a whole store in one file grew slow.",
    ),
    (
        "error",
        "engineer",
        29,
        "The lock on the manifest timed out after five tries; waiting helped.",
    ),
    ("key-fact", "reviewer", 31, "A lock that is older than thirty seconds belongs to nobody."),
    (
        "lesson",
        "reviewer",
        31,
        "Rename only after the file was synced, or a power cut leaves it empty.",
    ),
    (
        "code-change",
        "engineer",
        31,
        "src/locks.py: waits with jitter and names the holder in its error.",
    ),
    ("task", "architect", 40, "Decide who settles the manifest when two programs write at once."),
    (
        "handoff",
        "architect",
        40,
        "Locks are done. Next: the index, then the doctor. Tests are green.",
    ),
)


def observations() -> list[Observation]:
    """A handful of memories."""
    return [
        Observation(
            agent=agent,
            issue_number=issue,
            category=category,
            content=content,
            id=f"obs-{agent}-{issue}-{number}",
            timestamp=NOW - timedelta(days=number + 2),
        )
        for number, (category, agent, issue, content) in enumerate(CONTENTS)
    ]


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def in_the_past(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[MemoryPipeline, Clock]]:
    """The memory in `folder` with a clock to set; ids of operations count from 0."""
    clock = Clock(NOW - timedelta(days=3))
    numbers = iter(range(10_000))
    monkeypatch.setattr(
        applying,
        "new_operation_id",
        lambda now: f"{now:%Y%m%dT%H%M%S}000-{next(numbers):04x}",
    )
    with open_memory(folder, cache=folder.parent / "cache", clock=clock) as memory:
        yield memory, clock


def worked_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store in which things were edited, archived, removed and undone."""
    path = fill(folder / "memory", observations())
    (path / "activity.jsonl").unlink()
    with in_the_past(path, monkeypatch) as (memory, clock):
        ids = [item.id for item in observations()]
        memory.apply(memory.plan_edit(ids[0], {"content": "One file for each issue. It stays so."}))
        clock.now += timedelta(hours=20)
        memory.apply(memory.plan_archive(ids[2:5]))
        clock.now += timedelta(hours=4)
        memory.apply(memory.plan_edit(ids[5], {"pinned": True}, "Pin 1 observation"))
        clock.now += timedelta(hours=30)
        memory.apply(memory.plan_remove(ids[1]))
        clock.now += timedelta(hours=17, minutes=40)
        memory.undo()
    return path


def toasts(pilot: Pilot[None]) -> list[str]:
    """What was told in passing, oldest first."""
    return [notification.message for notification in pilot.app._notifications]
