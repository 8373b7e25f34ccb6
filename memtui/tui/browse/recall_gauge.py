"""Browse's gauge: what recall would inject for the agent and the issue one is at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import key_in_use
from memtui.tui.widgets.token_gauge import Filling, TokenGauge, by_category

if TYPE_CHECKING:
    from memtui.tui.frame.routes import NextOf
    from memtui.tui.injection.request import RecallFound
    from store import Memory
    from store.recall.request import RecallRequest

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
    from store.agents.registry import client_named

    return client_named(name).title if name else ""


class RecallGauge(TokenGauge):
    """Follows a request, a moment after it stays the same."""

    request: RecallRequest | NextOf | None = None
    """What the gauge shows, or is about to; None to work it out again."""
    client = ""
    """Whose next session was shown last; empty before the first answer."""

    async def on_click(self) -> None:
        await self.run_action("screen.inject")

    def follow(
        self,
        memory: Memory,
        request: Callable[[], RecallRequest | NextOf],
        *,
        anew: bool = False,
    ) -> None:
        """Show what is wished for in a moment; with `anew` even the same, since memory changed."""
        if anew:
            self.request = None
        self._follow_after_pause(memory, request)

    @question("gauge pause")
    async def _follow_after_pause(
        self, memory: Memory, request: Callable[[], RecallRequest | NextOf]
    ) -> None:
        await asyncio.sleep(_PAUSE)
        if (wanted := request()) != self.request:
            self.request = wanted
            self._work_out(memory, wanted)

    @question("gauge")
    async def _work_out(self, memory: Memory, wanted: RecallRequest | NextOf) -> None:
        # what the first results do without
        from memtui.tui.injection.next_session import answer

        found = await ask(answer, memory, wanted)
        self.client = found.request.client or self.client
        self.filling = filling_of(found, key_in_use(self.app, "app.setup"))
