"""The keys of the Sessions screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from memtui.tui.reports.overview import VIEW

SESSIONS_KEYS: list[BindingType] = [
    Binding("enter", "open", "open", id="sessions.open", tooltip="Read the conversation"),
    Binding(
        "slash",
        "search",
        "search",
        id="sessions.search",
        tooltip="Search messages; agent:, branch:, issue: and file: filter the list",
    ),
    Binding(
        "t",
        "take_in",
        "index",
        id="sessions.take_in",
        tooltip="Index all sessions for search and recall, in the background",
    ),
    Binding(
        "z,ctrl+l",
        "zoom",
        "zoom",
        show=False,
        group=VIEW,
        id="sessions.zoom",
        tooltip="Maximize or restore the details",
    ),
    Binding("t", "stop", "stop", id="sessions.stop", tooltip="Stop indexing"),
]
