"""The top line: whose memory this is, and how much there is of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit, memories, size
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import key_in_use
from store.text.display import visible_line

if TYPE_CHECKING:
    from store import Memory
    from store.compaction.model import Excess
    from store.store_state import StoreState

_PLACE, _LEAST = 20, 8
"""Cells of the place that stay beside what could go, and beside the fact."""


class TitleBar(Widget):
    """The app's name and the store's place; at the right end a fact about it, and what could go."""

    place = reactive("")
    fact = reactive("")
    limits: reactive[Content] = reactive(lambda: Content(""))
    _writable = True

    def show(self, state: StoreState) -> None:
        fact = memories(state.total)
        self._writable = state.writable
        self.fact = fact if state.writable else f"{fact} · read-only"

    @exclusive_worker(group="excess")
    async def follow(self, memory: Memory) -> None:
        """Say what is stale, beyond a capacity or too large, and the key of the plan for it."""
        excess = beyond_limits(await ask(memory.upkeep.excess, fresh=False))
        key = key_in_use(self.app, "app.prune") if self._writable else ""
        self.limits = (
            Content.assemble(
                (excess, "$dim"),
                *([(" · ", "$dim"), (key, "$accent-text"), (" makes room", "$dim")]),
            )
            if excess and key
            else Content.styled(excess, "$dim")
        )

    def render(self) -> RenderResult:
        width = self.content_size.width
        fact = Content.styled(self.fact, "$dim")
        place = visible_line(self.place)
        room = width - len("memtui") - 4
        if self.limits:
            more = Content.assemble(self.limits, "   ", fact)
            if room - more.cell_length >= min(_PLACE, cell_len(place)):
                fact = more
        room -= fact.cell_length
        if room < _LEAST:
            fact, room = Content(""), width - len("memtui") - 2
        return Content.assemble(
            ("memtui", "bold $accent-text"), "  ", (fit(place, max(0, room)), "$dim"), "  ", fact
        )


def beyond_limits(excess: Excess) -> str:
    """Excess: stale, beyond a capacity or too large; empty where all is within its limits."""
    parts = [
        f"{count(number)} {name}"
        for name, number in (("stale", excess.stale), ("beyond capacity", excess.beyond))
        if number
    ]
    return ", ".join([*parts, *([f"{size(excess.size)} on disk"] if excess.size else [])])
