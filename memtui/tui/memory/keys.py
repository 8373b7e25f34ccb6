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
        tooltip="Edit it as Markdown, in your editor",
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
        tooltip="Text, id or prompt block; or to a file",
    ),
    Binding(
        "d",
        "delete",
        "delete",
        show=False,
        group=EDIT,
        id="memory.delete",
        tooltip="Remove it, after a preview",
    ),
    Binding(
        "p",
        "flag('pinned')",
        "pin",
        show=False,
        group=EDIT,
        id="memory.pin",
        tooltip="Recall it always; again takes that back",
    ),
    Binding(
        "m",
        "flag('muted')",
        "mute",
        show=False,
        group=EDIT,
        id="memory.mute",
        tooltip="Recall it never; again takes that back",
    ),
    Binding(
        "t",
        "close_task",
        "close task",
        show=False,
        group=EDIT,
        id="memory.close",
        tooltip="Tag a task `done`, or open it again",
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
        tooltip="Write one, as the query suggests",
    ),
    Binding(
        "x",
        "export",
        "export",
        show=False,
        group=EDIT,
        id="memory.export",
        tooltip="Write the selection or the list to a file",
    ),
]
"""What can be done with a list of them."""
