"""The keys that tend observations: the same wherever some are chosen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

TEND = Binding.Group("Tend")

ONE_KEYS: list[BindingType] = [
    Binding(
        "e",
        "edit",
        "edit",
        group=TEND,
        id="tend.edit",
        tooltip="Edit it as Markdown, in your editor or here",
    ),
    Binding(
        "a",
        "archive",
        "archive",
        group=TEND,
        id="tend.archive",
        tooltip="Out of recall and search; again brings it back",
    ),
    Binding(
        "y",
        "copy",
        "copy",
        group=TEND,
        id="tend.copy",
        tooltip="The text, the id or a block for a prompt, to the clipboard or a file",
    ),
    Binding(
        "d",
        "delete",
        "delete",
        show=False,
        group=TEND,
        id="tend.delete",
        tooltip="Remove it, after a preview",
    ),
    Binding(
        "p",
        "flag('pinned')",
        "pin",
        show=False,
        group=TEND,
        id="tend.pin",
        tooltip="Recall it always; again takes that back",
    ),
    Binding(
        "m",
        "flag('muted')",
        "mute",
        show=False,
        group=TEND,
        id="tend.mute",
        tooltip="Recall it never; again takes that back",
    ),
    Binding(
        "t",
        "close_task",
        "close task",
        show=False,
        group=TEND,
        id="tend.close",
        tooltip="Close a task by the tag `done`; again opens it",
    ),
]
"""What can be done with one observation, or with several that are selected."""

LIST_KEYS: list[BindingType] = [
    Binding(
        "n",
        "write_new",
        "new",
        show=False,
        group=TEND,
        id="tend.new",
        tooltip="Write a new one; agent, issue and category as in the query",
    ),
    Binding(
        "x",
        "export",
        "export",
        show=False,
        group=TEND,
        id="tend.export",
        tooltip="Write all that the query finds to a file",
    ),
]
"""What can be done with a list of them."""
