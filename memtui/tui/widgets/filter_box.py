"""The box above a list that keeps the rows which have all the words typed in it."""

from __future__ import annotations

from textual.message import Message

from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.panes import Box


class FilterBox(Box):
    """Hidden while it is empty and unused. Whoever has it lists the rows anew for each
    `Input.Changed`, and puts the focus on them when it is left.
    """

    BINDINGS = bindings("filter")

    class Left(Message):
        """The list is to be used, as it is filtered now."""

    def __init__(self, placeholder: str = "words of the rows to keep") -> None:
        super().__init__(id="filter", placeholder=placeholder)
        self.display = False

    def matches(self, text: str) -> bool:
        """Return whether a text has all the words that are typed."""
        found = text.casefold()
        return all(word in found for word in self.value.casefold().split())

    def open(self) -> None:
        self.display = True
        self.screen.set_focus(self)

    def action_done(self) -> None:
        self.display = bool(self.value.strip())
        self.post_message(self.Left())

    def action_clear(self) -> None:
        self.value, self.display = "", False
        self.post_message(self.Left())
