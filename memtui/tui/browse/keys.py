"""The keys of Browse, in groups as the key bar and the help show them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from memtui.tui.memory.keys import EDIT, LIST_KEYS, ONE_KEYS

FIND = Binding.Group("Find")
VIEW = Binding.Group("View")

BROWSE_KEYS: list[BindingType] = [
    Binding(
        "slash",
        "search",
        "search",
        group=FIND,
        id="browse.search",
        tooltip="Search as you type: words, phrases, filters",
    ),
    Binding(
        "number_sign,ctrl+g",
        "pick_issue",
        "issue",
        group=FIND,
        id="browse.issue",
        tooltip="Filter by issue",
    ),
    Binding(
        "o,ctrl+o",
        "order",
        "order",
        group=FIND,
        id="browse.order",
        tooltip="Next sort order: age, tokens, recalls, relevance",
    ),
    Binding(
        "escape",
        "clear",
        "clear",
        group=FIND,
        id="browse.clear",
        tooltip="Clear selection, zoom or search",
    ),
    Binding(
        "i",
        "app.inject",
        "inject",
        group=VIEW,
        id="browse.inject",
        tooltip="Preview what is injected: next session, or this agent and issue",
    ),
    Binding(
        "I",
        "next_client",
        "next client",
        show=False,
        group=VIEW,
        id="browse.client",
        tooltip="Show the next session of another client",
    ),
    *ONE_KEYS,
    *LIST_KEYS,
    Binding(
        "c",
        "app.compact",
        "compact",
        group=EDIT,
        id="browse.compact",
        tooltip="Preview what would merge, and how much it saves",
    ),
    Binding(
        "C",
        "app.capture",
        "capture",
        show=False,
        group=EDIT,
        id="browse.capture",
        tooltip="Capture memories from a session",
    ),
    Binding(
        "tab",
        "pane(1)",
        "next pane",
        show=False,
        group=VIEW,
        id="browse.next_pane",
        tooltip="Next pane",
    ),
    Binding(
        "shift+tab",
        "pane(-1)",
        "previous pane",
        show=False,
        group=VIEW,
        id="browse.previous_pane",
        tooltip="Previous pane",
    ),
    *(
        Binding(
            str(number),
            f"go_to({number})",
            name,
            show=False,
            group=VIEW,
            id=f"browse.pane_{number}",
            tooltip=f"Go to {name}",
        )
        for number, name in enumerate(("agents", "categories", "results", "memory"), 1)
    ),
    Binding(
        "z,ctrl+l",
        "zoom",
        "zoom",
        group=VIEW,
        id="browse.zoom",
        tooltip="Maximize or restore the pane",
    ),
    Binding(
        "ctrl+r",
        "refresh",
        "refresh",
        show=False,
        group=VIEW,
        id="browse.refresh",
        tooltip="Reload",
    ),
]
"""What works in every pane of Browse; the panes have keys of their own."""
