"""A box of one line to type in."""

from __future__ import annotations

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.widgets import Input

from memtui.formatting import joined
from memtui.tui.frame.keys import bindings
from store.text.display import visible


class Box(Input):
    """Begins without a selection, and shows what could act on the terminal as symbols.

    Tab stays in it: the letters that follow would be commands elsewhere.
    """

    BINDINGS = bindings("box")

    def __init__(
        self, value: str = "", *, id: str, placeholder: str = "", restrict: str | None = None
    ) -> None:
        super().__init__(
            value,
            id=id,
            placeholder=placeholder,
            restrict=restrict,
            highlighter=_Symbols(),
            compact=True,
            select_on_focus=False,
        )

    def action_stay(self) -> None:
        """Do nothing."""

    def on_paste(self, event: events.Paste) -> None:
        event.text = joined(event.text)


class _Symbols(Highlighter):
    """Changes the letters and no style."""

    def highlight(self, text: Text) -> None:
        text.plain = visible(text.plain, newlines=False)
