"""A line that is there only while it has something to say."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from store.text.display import visible


class StatusLine(Static):
    """Plain text; laid out anew only when it changes."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._said = ""
        self.display = False

    def say(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self.update(Content(visible(text, newlines=False)))
            self.display = bool(text)
