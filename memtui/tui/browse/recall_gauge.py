"""Browse's gauge: what recall would inject for the agent and the issue one is at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import work

from memtui.tui.widgets.token_gauge import Filling, TokenGauge, by_category
from memtui.tui.worker import MemoryFailed, ask

if TYPE_CHECKING:
    from memtui.tui.injection.request import RecallFound
    from store.pipeline import MemoryPipeline
    from store.recall.request import RecallRequest

_PAUSE = 0.12
"""Seconds without another request, after which the recall is worked out: keys go first."""


class RecallGauge(TokenGauge):
    """Follows a request, a moment after it stays the same."""

    request: RecallRequest | None = None
    """What the gauge shows, or is about to; None to work it out again."""
    _number = 0

    def follow(
        self, memory: MemoryPipeline, request: Callable[[], RecallRequest], *, anew: bool = False
    ) -> None:
        """Show what is wished for in a moment; with `anew` even the same, since memory changed."""
        if anew:
            self.request = None
        self._ask_after_pause(memory, request)

    @work(exclusive=True, group="gauge pause")
    async def _ask_after_pause(
        self, memory: MemoryPipeline, request: Callable[[], RecallRequest]
    ) -> None:
        await asyncio.sleep(_PAUSE)
        wanted = request()
        if wanted != self.request:
            from memtui.tui.injection.request import (
                answer_request,  # what the first results do without
            )

            self.request = wanted
            self._number += 1
            ask(self, answer_request(memory, wanted, self._number), group="gauge")

    def on_recall_found(self, event: RecallFound) -> None:
        """Show the answer, if it is the one to what is followed now."""
        from memtui.tui.injection.request import title_of

        if event.number == self._number:
            limit = event.recall.limits.tokens
            self.filling = Filling(by_category(event.recall), limit, title_of(event.request))

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Let the screen say why there is no recall."""
        self.screen.post_message(MemoryFailed(event.error))
