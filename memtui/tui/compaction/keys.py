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
        tooltip="Move this original out of its cluster",
    ),
    Binding(
        "enter",
        "apply",
        "apply",
        group=COMPACT,
        id="compaction.apply",
        tooltip="Compact all clusters that are not left out",
    ),
    Binding(
        "tab",
        "pane(1)",
        "texts",
        group=VIEW,
        id="compaction.next_pane",
        tooltip="Next pane",
    ),
    Binding(
        "shift+tab",
        "pane(-1)",
        "previous pane",
        show=False,
        group=VIEW,
        id="compaction.previous_pane",
        tooltip="Previous pane",
    ),
    Binding(
        "ctrl+r",
        "plan",
        "plan again",
        show=False,
        group=VIEW,
        id="compaction.plan",
        tooltip="Plan again from the files, with everything included",
    ),
    Binding(
        "escape",
        "leave",
        "back",
        id="compaction.back",
        tooltip="Cancel, stop after this issue, or go back",
    ),
]
