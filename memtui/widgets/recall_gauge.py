"""Browse's gauge: what recall would inject for the agent and the issue one is at."""

from __future__ import annotations

import asyncio

from textual import work

from memtui.memory_worker import MemoryFailed, ask
from memtui.recalling import RecallFound, Wish, recalling
from memtui.widgets.injection_gauge import by_category
from memtui.widgets.token_gauge import Filling, TokenGauge
from store.pipeline import MemoryPipeline

_PAUSE = 0.12
"""Seconds without another wish, after which the recall is worked out: keys go first."""


class RecallGauge(TokenGauge):
    """Follows a wish, a moment after it stays the same."""

    wish: Wish | None = None
    """What the gauge shows, or is about to."""
    _number = 0

    def follow(self, memory: MemoryPipeline, wish: Wish, *, anew: bool = False) -> None:
        """Show another wish; with `anew` even the same one, since memory was changed."""
        if wish != self.wish or anew:
            self.wish = wish
            self._number += 1
            self._ask_after_pause(memory, wish, self._number)

    @work(exclusive=True, group="gauge pause")
    async def _ask_after_pause(self, memory: MemoryPipeline, wish: Wish, number: int) -> None:
        await asyncio.sleep(_PAUSE)
        ask(self, recalling(memory, wish, number), group="gauge")

    def on_recall_found(self, event: RecallFound) -> None:
        """Show the answer, if it is the one to what is followed now."""
        if event.number == self._number:
            limit = event.recall.limits.tokens
            self.filling = Filling(by_category(event.recall), limit, event.wish.title)

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Let the screen say why there is no recall."""
        self.screen.post_message(MemoryFailed(event.error))
