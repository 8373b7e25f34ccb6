"""The keys that change observations: the same wherever some are chosen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

EDIT = Binding.Group("Edit")

ONE_KEYS: list[BindingType] = [
    Binding(
        "e",
        "edit",
        "edit",
        group=EDIT,
        id="memory.edit",
        tooltip="Edit in your editor, as Markdown",
    ),
    Binding(
        "a",
        "archive",
        "archive",
        group=EDIT,
        id="memory.archive",
        tooltip="Archive or restore",
    ),
    Binding(
        "a",
        "restore",
        "restore",
        group=EDIT,
        id="archived.archive",
        tooltip="Restore from the archive",
    ),
    Binding(
        "y",
        "copy",
        "copy",
        group=EDIT,
        id="memory.copy",
        tooltip="Copy text, id or prompt block",
    ),
    Binding(
        "f",
        "source",
        "source",
        show=False,
        group=EDIT,
        id="memory.source",
        tooltip="Open the session at the message it came from",
    ),
    Binding(
        "d",
        "delete",
        "delete",
        show=False,
        group=EDIT,
        id="memory.delete",
        tooltip="Delete, after a preview",
    ),
    Binding(
        "p",
        "flag('pinned')",
        "pin",
        show=False,
        group=EDIT,
        id="memory.pin",
        tooltip="Always inject; press again to unpin",
    ),
    Binding(
        "m",
        "flag('muted')",
        "mute",
        show=False,
        group=EDIT,
        id="memory.mute",
        tooltip="Never inject; press again to unmute",
    ),
    Binding(
        "t",
        "close_task",
        "close task",
        show=False,
        group=EDIT,
        id="memory.close",
        tooltip="Close the task, or reopen it",
    ),
]
"""What can be done with one observation, or with several that are selected."""

LIST_KEYS: list[BindingType] = [
    Binding(
        "n",
        "write_new",
        "new",
        show=False,
        group=EDIT,
        id="memory.new",
        tooltip="New memory (prefilled from the search)",
    ),
    Binding(
        "x",
        "export",
        "export",
        show=False,
        group=EDIT,
        id="memory.export",
        tooltip="Export the selection or the list to a file",
    ),
]
"""What can be done with a list of them."""
