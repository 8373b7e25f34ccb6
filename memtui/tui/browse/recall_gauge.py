"""Browse's gauge: what recall would inject for the agent and the issue one is at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import work

from memtui.tui.key_names import key_in_use
from memtui.tui.widgets.token_gauge import Filling, TokenGauge, by_category
from memtui.tui.worker import MemoryFailed, ask

if TYPE_CHECKING:
    from memtui.tui.injection.request import RecallFound
    from memtui.tui.routes import NextOf
    from store.pipeline import MemoryPipeline
    from store.values import RecallRequest

_PAUSE = 0.12
"""Seconds without another request, after which the recall is worked out: keys go first."""


def filling_of(found: RecallFound, set_up: str = "") -> Filling:
    """What the gauge shows of an answer: how far the limit that binds is used, and whose it is;
    where no hook tells it, the key that sets one up.
    """
    from memtui.tui.injection.gauge import levels
    from memtui.tui.injection.request import title_of
    from memtui.words.sentences import told_in_words

    recall = found.recall
    level = max(levels(recall), key=lambda it: it.share)
    tokens = by_category(recall)
    scale = level.used / max(1, sum(tokens.values()))
    following = found.request.client
    return Filling(
        {name: round(part * scale) for name, part in tokens.items()},
        level.limit,
        "Next session" if following else f"Budget {title_of(found.request)}".rstrip(),
        unit=level.unit,
        used=level.used,
        told=told_in_words(recall.counts),
        left_out=recall.left_out,
        whose=client_title(following),
        branch=found.branch,
        lacks=_lacks(found.unhooked, set_up),
    )


def _lacks(state: str, set_up: str) -> str:
    """`hooks missing, W adds`; of what is there and would not run, W shows why."""
    from memtui.tui.injection.next_session import NOT_INSTALLED

    if state in {"", NOT_INSTALLED}:
        return state
    does = "adds" if state == "missing" else "shows why"
    return f"hooks {state}{f', {set_up} {does}' if set_up else ''}"


def client_title(name: str) -> str:
    """A client's name as it is told: `Claude Code`."""
    from store.agents import client_named

    return client_named(name).title if name else ""


class RecallGauge(TokenGauge):
    """Follows a request, a moment after it stays the same."""

    request: RecallRequest | NextOf | None = None
    """What the gauge shows, or is about to; None to work it out again."""
    client = ""
    """Whose next session was shown last; empty before the first answer."""
    _number = 0

    async def on_click(self) -> None:
        """Show what the bar is made of."""
        await self.run_action("app.inject")

    def follow(
        self,
        memory: MemoryPipeline,
        request: Callable[[], RecallRequest | NextOf],
        *,
        anew: bool = False,
    ) -> None:
        """Show what is wished for in a moment; with `anew` even the same, since memory changed."""
        if anew:
            self.request = None
        self._ask_after_pause(memory, request)

    @work(exclusive=True, group="gauge pause")
    async def _ask_after_pause(
        self, memory: MemoryPipeline, request: Callable[[], RecallRequest | NextOf]
    ) -> None:
        await asyncio.sleep(_PAUSE)
        wanted = request()
        if wanted != self.request:
            # what the first results do without
            from memtui.tui.injection.next_session import question_for

            self.request = wanted
            self._number += 1
            ask(self, question_for(memory, wanted, self._number), group="gauge")

    def on_recall_found(self, event: RecallFound) -> None:
        """Show the answer, if it is the one to what is followed now."""
        if event.number == self._number:
            self.client = event.request.client or self.client
            self.filling = filling_of(event, key_in_use(self.app, "app.setup"))

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Let the screen say why there is no recall."""
        self.screen.post_message(MemoryFailed(event.error))
