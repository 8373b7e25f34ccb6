"""A memory of a month on disk: the demo's stories, thinned, and an issue worked over again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from memtui.sample.generator import sample_observations
from store import Memory
from store.model import Observation
from store.records import to_record
from tests.store.factories import NOW, make_memory, write_issue

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
MARKS = {
    "w2": {"pinned": True},
    "w9": {"muted": True},
    "w13": {"extra": {"branch": "feature/leases"}},
    "w16": {"extra": {"branch": "feature/leases"}, "last_recalled": NOW - timedelta(days=30)},
    "m5": {"archived": True},
    "m4": {"last_recalled": NOW, "recall_count": 10},
}
"""What a person, or a session, made of some of them."""


def stored_month(root: Path) -> Memory:
    """The memory of a project folder, its clock at `NOW`."""
    told = [it._replace(id=f"m{at}") for at, it in enumerate(sample_observations(NOW)[::20])]
    write(root, [*told, *worked_over()])
    return make_memory(root)


def write(root: Path, observations: Iterable[Observation]) -> None:
    """Write memories into issue files as another program would, with their history of use."""
    held: dict[tuple[int, bool], list[object]] = {}
    for it in observations:
        marked = it._replace(**MARKS.get(it.id, {}))  # type: ignore[arg-type]
        held.setdefault((it.issue_number, it.archived), []).append(to_record(marked))
    for (issue, archived), records in held.items():
        write_issue(root / ".agentx" / "memory", issue, *records, archived=archived)


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
