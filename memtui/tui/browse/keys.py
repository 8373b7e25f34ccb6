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
        tooltip="Words, phrases and filters, as you type",
    ),
    Binding(
        "number_sign,ctrl+g",
        "pick_issue",
        "issue",
        group=FIND,
        id="browse.issue",
        tooltip="Pick an issue from a counted list",
    ),
    Binding(
        "o,ctrl+o",
        "order",
        "order",
        group=FIND,
        id="browse.order",
        tooltip="Next order: age, tokens, recalls, relevance",
    ),
    Binding(
        "escape",
        "clear",
        "clear",
        group=FIND,
        id="browse.clear",
        tooltip="Clear the selection, else leave the zoomed pane, else clear the search",
    ),
    Binding(
        "i",
        "app.inject",
        "inject",
        group=VIEW,
        id="browse.inject",
        tooltip="See what the next session is told, or the chosen agent and issue, and why",
    ),
    Binding(
        "I",
        "next_client",
        "next client",
        show=False,
        group=VIEW,
        id="browse.client",
        tooltip="Show what the next session of another client is told",
    ),
    *ONE_KEYS,
    *LIST_KEYS,
    Binding(
        "c",
        "app.compact",
        "compact",
        group=EDIT,
        id="browse.compact",
        tooltip="See what would merge, and what that saves",
    ),
    Binding(
        "C",
        "app.capture",
        "capture",
        show=False,
        group=EDIT,
        id="browse.capture",
        tooltip="Pick a session, and what of it to keep",
    ),
    Binding(
        "tab",
        "pane(1)",
        "next pane",
        show=False,
        group=VIEW,
        id="browse.next_pane",
        tooltip="Agents, categories, results, observation",
    ),
    Binding(
        "shift+tab",
        "pane(-1)",
        "previous pane",
        show=False,
        group=VIEW,
        id="browse.previous_pane",
        tooltip="The same way back",
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
        tooltip="Give the pane the whole screen, and back",
    ),
    Binding(
        "ctrl+r",
        "refresh",
        "refresh",
        show=False,
        group=VIEW,
        id="browse.refresh",
        tooltip="Look at the files now",
    ),
]
"""What works in every pane of Browse; the panes have keys of their own."""
