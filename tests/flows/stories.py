"""Stores with a past: what was changed, what was broken, what happened to them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from shutil import copytree

import pytest
from textual.pilot import Pilot

from store import Memory, Observation, open_memory
from store.operations import write_ahead
from store.records import format_time
from tests.flows.stage import NOW, TOLD, fill
from tests.store.factories import Clock, append_activity

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


@contextmanager
def in_the_past(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Memory, Clock]]:
    """The memory in `folder` with a clock to set; ids of operations count from 0."""
    clock = Clock(NOW - timedelta(days=3))
    numbers = iter(range(10_000))
    monkeypatch.setattr(
        write_ahead,
        "next_operation_id",
        lambda folder, now: f"{now:%Y%m%dT%H%M%S}000-{next(numbers):04x}",
    )
    with open_memory(folder, cache=folder.parent / "cache", clock=clock) as memory:
        yield memory, clock


def _once(tell: Callable[[Path, pytest.MonkeyPatch], Path]) -> Callable[[Path], Path]:
    """A story that is told once; each who asks for it in a folder gets a copy of its store."""

    @wraps(tell)
    def told(folder: Path) -> Path:
        kept = folder.parent / f"story-{tell.__name__}"
        if not kept.exists():
            kept.mkdir()
            with pytest.MonkeyPatch.context() as monkeypatch:
                tell(kept, monkeypatch)
        return copytree(kept / "memory", folder / "memory")

    return told


@_once
def worked_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store in which things were edited, archived, removed and undone."""
    path = fill(folder / "memory", observations())
    (path / "activity.jsonl").unlink()
    with in_the_past(path, monkeypatch) as (memory, clock):
        ids = [item.id for item in observations()]
        memory.apply(memory.plan.edit(ids[0], {"content": "One file for each issue. It stays so."}))
        clock.now += timedelta(hours=20)
        memory.apply(memory.plan.archive(ids[2:5]))
        clock.now += timedelta(hours=4)
        memory.apply(memory.plan.edit(ids[5], {"pinned": True}, "pin"))
        clock.now += timedelta(hours=30)
        memory.apply(memory.plan.remove(ids[1]))
        clock.now += timedelta(hours=17, minutes=40)
        memory.undo()
    return path


def toasts(pilot: Pilot[None]) -> list[str]:
    """What was told in passing and not taken back, oldest first."""
    return TOLD.get(pilot.app, [])


def broken(folder: Path) -> Path:
    """A store in which much is wrong, and git looks on."""
    path = fill(folder / "memory", observations())
    issue = json.loads((path / "issue-31.json").read_text())
    first = issue["observations"][0]
    issue["observations"] += [
        {**first, "content": 7, "id": "obs-reviewer-31-broken"},
        {**first, "id": "obs-reviewer-31-ahead", "timestamp": "2031-01-01T00:00:00.000Z"},
    ]
    (path / "issue-31.json").write_text(json.dumps(issue, indent=2))
    (path / "issue-40.json").write_text('{"version": 1, "observations": [{"id": "cut off')
    marker = path / "issue-29.json.lock"
    marker.write_text(
        json.dumps({"pid": 1, "timestamp": "2026-03-01T00:00:00Z", "agent": "AgentX"})
    )
    left = path / ".issue-29.json.4194399-00c0ffee.tmp"
    left.write_text("{")
    for old in (marker, left):
        os.utime(old, (1_700_000_000, 1_700_000_000))
    happened(path, "captured", NOW - timedelta(hours=3), agent="claude-code", count=2)
    return path


def with_a_secret(folder: Path) -> tuple[Path, str]:
    """A store that holds what looks like a key, put together here so that none stands in a file."""
    secret = "AKIA" + "QW7ERT5YUI3OPAS2"
    path = fill(folder / "memory", observations())
    file = path / "issue-29.json"
    file.write_text(file.read_text().replace("One file", f"The key is {secret}. One file"))
    return path, secret


@_once
def eventful(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store to which everything that is recorded has happened."""
    path = worked_on(folder)
    with in_the_past(path, monkeypatch) as (memory, clock):
        clock.now = NOW - timedelta(hours=3)
        new = Observation(
            agent="claude-code",
            issue_number=29,
            category="lesson",
            content="Ask the lock who holds it before blaming the disk.",
            id="obs-claudecode-29-1",
            timestamp=clock.now,
        )
        memory.store([new])
        happened(path, "captured", clock.now, agent="claude-code", sessionId="5e55-10", count=1)
        clock.now = NOW - timedelta(minutes=50)
        told = memory.recall.plan("engineer", 29, "the lock on the manifest")
        memory.recall.inject(told, "engineer", 29)
    return in_order(path)


def failing(folder: Path) -> Path:
    """A store whose capture has failed for days."""
    path = eventful(folder)
    message = "The transcript /tmp/5e55-11.jsonl can't be read (Permission denied)."
    for hours in (47, 26, 5, 1):
        happened(
            path,
            "failed",
            NOW - timedelta(hours=hours),
            kind="hook session-end",
            message=message,
            sessionId="5e55-11",
        )
    return in_order(path, without='"captured"')


def in_order(path: Path, without: str = "\n") -> Path:
    """Put the lines of the activity log in the order of their times."""
    log = path / "activity.jsonl"
    lines = [line for line in log.read_text().splitlines() if without not in line]
    lines.sort(key=lambda line: str(json.loads(line)["timestamp"]))
    log.write_text("\n".join(lines) + "\n")
    return path


def happened(path: Path, type: str, when: datetime, /, **more: object) -> None:
    """Append a line to the activity log."""
    append_activity(path, {"type": type, "timestamp": format_time(when), **more})
