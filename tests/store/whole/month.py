"""A memory of a month on disk: the demo's stories, thinned, and an issue worked over again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

from memtui.sample.generator import sample_observations
from store.model import Observation
from store.pipeline import MemoryPipeline
from store.records import to_record
from tests.store.factories import NOW, make_memory, write_issue
from tests.store.whole.test_memories import worked_over

MARKS = {
    "w2": {"pinned": True},
    "w9": {"muted": True},
    "w13": {"extra": {"branch": "feature/leases"}},
    "w16": {"extra": {"branch": "feature/leases"}, "last_recalled": NOW - timedelta(days=30)},
    "m5": {"archived": True},
    "m4": {"last_recalled": NOW, "recall_count": 10},
}
"""What a person, or a session, made of some of them."""


def stored_month(root: Path) -> MemoryPipeline:
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
