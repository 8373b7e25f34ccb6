"""The top line: whose memory this is, and how much there is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import fit, plural
from store.text import visible

if TYPE_CHECKING:
    from store.pipeline import StoreState


class TitleBar(Widget):
    """The app's name and the store's place; at the right end a fact about it."""

    place = reactive("")
    fact = reactive("")

    def show(self, state: StoreState) -> None:
        """Say how much the store holds."""
        said = plural(state.total, "memory", "memories")
        self.fact = said if state.writable else f"{said} · read-only"

    def render(self) -> RenderResult:
        """Left and right, the place cut first where room is short."""
        width = self.content_size.width
        fact = Content.styled(self.fact, "$dim")
        room = width - len("memtui") - 4 - fact.cell_length
        if room < 8:
            fact, room = Content(""), width - len("memtui") - 2
        place = visible(self.place, newlines=False)
        return Content.assemble(
            ("memtui", "bold $accent-text"), "  ", (fit(place, max(0, room)), "$dim"), "  ", fact
        )
