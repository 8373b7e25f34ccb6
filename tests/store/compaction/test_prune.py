from __future__ import annotations

from store.compaction.prune import Strategy, prune
from store.model import Layer
from tests.store.compaction.notes import note
from tests.store.factories import NOW


def test_pinned_open_and_latest_stay_whatever_the_capacity() -> None:
    nothing = dict.fromkeys(Layer, 0)
    held = [
        note("pinned", "x", 90, pinned=True),
        note("task", "x", 90, category="task"),
        note("done", "x", 90, category="task", tags=("done",)),
        note("handoff-new", "x", 80, category="handoff"),
        note("handoff-old", "x", 90, category="handoff"),
    ]
    pruning = prune(held, Strategy.OLDEST_FIRST, now=NOW, capacities=nothing)
    assert {one.id for one in pruning.archived} == {"done", "handoff-old"}
