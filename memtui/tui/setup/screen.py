"""Set up: each offer a row; its details are what it would do; Enter does just that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.content import Content
from textual.message import Message

from memtui.formatting import count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.indexing import (
    HooksWritten,
    IndexSessions,
    SessionsRead,
    StopIndexing,
    progress_in_words,
)
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, plain
from memtui.tui.frame.route import Context, Open
from memtui.tui.frame.toasts import toast
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.setup.beginning import keep_place, needs_another_place, pick_place
from memtui.tui.setup.offer import Change, LeaveFor, Offer
from memtui.tui.setup.offers import find_offers
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store.agents.client import Home
from store.backends.placement import MemoryPlace
from store.errors import StoreError
from store.text.display import visible


class OfferList(OverviewList[Offer]):
    """One offer a line: a mark where it is done, what it is, how it is now."""

    def row_key(self, row: Offer) -> str:
        return f"{row.name} {row.state}"

    def draw(self, row: Offer, index: int, width: int) -> Content:
        lead = Content.assemble(
            self.cursor_mark(index),
            ("√ " if row.done else "  ", "$text-success"),
            (fit(visible(row.title, newlines=False), 26), ""),
        )
        state = Content.styled(f"  {visible(row.state, newlines=False)}", "$dim")
        return Content.assemble(lead, state).truncate(width, ellipsis=True, pad=True)


class SetupScreen(OverviewScreen):
    """Offers that a memory can begin with, and that keep it going."""

    MANUAL_PAGE = "screens/setup.md"
    BINDINGS = bindings("setup")

    def __init__(self, context: Context, route: routes.Setup) -> None:
        self._given = context
        self._list = OfferList()
        self._busy = False
        self._wanted = route.offer
        super().__init__(context, self._list, "Set up")

    @property
    def route(self) -> routes.Setup:
        """The route that leads here again, the cursor on the same offer."""
        return routes.Setup(self._list.at.name if self._list.at else "")

    async def read(self) -> None:
        offers = await ask(find_offers, self._given, Home.of_user())
        state = await ask(self.memory.state)
        self.query_one(TitleBar).show(state)
        if not self._busy:
            self.notice("" if state.total else _how_to_begin(offers))
        self._list.list_rows(offers)
        names = [offer.name for offer in offers]
        if self._wanted in names:
            self._list.cursor = names.index(self._wanted)
            self._wanted = ""
        self.show_rows(count(len(offers)))
        self.refresh_bindings()

    @on(RowList.Moved, "#rows")
    def _offer_changed(self) -> None:
        self.refresh_bindings()

    def details(self) -> Details:
        if (offer := self._list.at) is None:
            return list
        title = plain(visible(offer.title, newlines=False), "bold")
        return lambda: [title, BLANK, *offer.details()]

    @on(RowList.Chosen, "#rows")
    def action_take(self) -> None:
        offer = self._list.at
        if self._busy or offer is None or (take := offer.take) is None:
            return  # the details have the reason
        if isinstance(take, str):
            self.call_later(self.run_action, take)
        elif isinstance(take, Message):
            self._set_busy(isinstance(take, IndexSessions))
            self.post_message(take)
        elif offer.asks_place:
            self._ask_place(take)
        else:
            self._do(take)

    def _ask_place(self, then: Change) -> None:
        """Ask where memory begins, and keep that; then do what waits for the answer."""

        def picked(place: MemoryPlace | None) -> None:
            if place is not None:
                self._do(lambda: f"{keep_place(self.memory, place)} {then()}")

        self.post_message(Open(pick_place(), picked))

    def action_remove(self) -> None:
        if (offer := self._list.at) is not None and offer.remove is not None:
            self._do(offer.remove)

    @exclusive_worker(group="setup")
    async def _do(self, change: Callable[[], str]) -> None:
        """Change what is set up, show the sentence about that, and look again."""
        outcome = await ask(change)
        self._busy = False
        self.notice("")
        toast(self.app, outcome.strip())
        if await ask(needs_another_place, self.memory):
            self.post_message(LeaveFor("again"))
        for screen in self.app.screen_stack:
            screen.post_message(HooksWritten())
        self.action_reload()

    def _set_busy(self, busy: bool) -> None:
        self._busy = busy
        self.refresh_bindings()

    def action_stop(self) -> None:
        self.post_message(StopIndexing())

    def on_sessions_read(self, event: SessionsRead) -> None:
        if not self._busy:
            self._set_busy(True)
        self.notice(progress_in_words(event.done, event.total))

    def on_indexing_ended(self) -> None:
        self._set_busy(False)
        self.notice("")
        self.action_reload()

    def failed(self, error: StoreError) -> None:
        self._busy = False
        self.notice(error.full_message)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        offer = self._list.at
        if action == "take":
            return not self._busy and offer is not None and offer.take is not None
        if action == "remove":
            return offer is not None and offer.remove is not None
        if action == "stop":
            return self._busy
        return super().check_action(action, parameters)


def _how_to_begin(offers: Sequence[Offer]) -> str:
    """Hint while there are no memories: the sessions that were found, and what to do."""
    found = "".join(f"{offer.state}. " for offer in offers if isinstance(offer.take, IndexSessions))
    return f"{found}No memories yet. Start with one of these:"
