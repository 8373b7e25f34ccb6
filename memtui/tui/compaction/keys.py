"""The keys of the compaction preview; those of its clusters are the list's own."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from memtui.tui.compaction.clusters import COMPACT

VIEW = Binding.Group("View")

COMPACTION_KEYS: list[BindingType] = [
    Binding(
        "M",
        "move_out",
        "move out",
        group=COMPACT,
        id="compaction.move_out",
        tooltip="Take the marked original out of its cluster",
    ),
    Binding(
        "enter",
        "apply",
        "apply",
        group=COMPACT,
        id="compaction.apply",
        tooltip="Compact all but what is left out",
    ),
    Binding(
        "tab",
        "pane(1)",
        "texts",
        group=VIEW,
        id="compaction.next_pane",
        tooltip="Clusters, originals, merged",
    ),
    Binding(
        "shift+tab",
        "pane(-1)",
        "previous pane",
        show=False,
        group=VIEW,
        id="compaction.previous_pane",
        tooltip="The same way back",
    ),
    Binding(
        "ctrl+r",
        "plan",
        "plan anew",
        show=False,
        group=VIEW,
        id="compaction.plan",
        tooltip="From the files; all is in it again",
    ),
    Binding(
        "escape",
        "leave",
        "back",
        id="compaction.back",
        tooltip="Cancel, stop between two issues, or go back",
    ),
]
