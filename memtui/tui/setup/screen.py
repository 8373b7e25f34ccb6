"""Set up: each offer a row; what it would do beside it; Enter does just that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message

from memtui.client_file import InstallPlan, apply_install
from memtui.formatting import count, fit
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.indexing import (
    HooksWritten,
    SessionsRead,
    StopTakingIn,
    TakeIn,
    progress_in_words,
)
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.operations import import_from
from memtui.tui.frame.routes import Context, Open
from memtui.tui.frame.toasts import tell
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.setup.details import after_install, offer_details
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.setup.offers import find_offers
from memtui.tui.setup.programs import leave_program, use_program
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store.agents.client import Home
from store.agents.registry import client_named
from store.backends.user_data import project_root
from store.errors import StoreError
from store.text.display import visible

if TYPE_CHECKING:
    from store.git.setup import GitPlan


class OpenDemo(Message):
    """Asks the app to end, and to be opened again on the sample store."""


class OfferList(OverviewList):
    """One offer a line: a mark where it is done, what it is, how it stands."""

    def __init__(self) -> None:
        super().__init__(id="rows")
        self.offers: Sequence[Offer] = ()

    def show(self, offers: Sequence[Offer]) -> None:
        self.offers = offers
        self.row_count = len(offers)
        self.reload()

    def row_key(self, index: int) -> str:
        offer = self.offers[index]
        return f"{offer.kind} {offer.name} {offer.state}"

    @property
    def offer(self) -> Offer:
        return self.offers[self.cursor]

    def row(self, index: int, width: int) -> Content:
        offer = self.offers[index]
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            ("√ " if offer.done else "  ", "$text-success"),
            (fit(visible(offer.title, newlines=False), 26), ""),
        )
        state = Content.styled(f"  {visible(offer.state, newlines=False)}", "$dim")
        return Content.assemble(lead, state).truncate(width, ellipsis=True, pad=True)


class SetupScreen(OverviewScreen):
    """What a memory can begin with, and what keeps it going."""

    BINDINGS = bindings("setup")

    def __init__(self, context: Context, route: routes.Setup) -> None:
        self._list = OfferList()
        self._busy = False
        self._is_demo = context.is_demo
        self._wanted = route.offer
        super().__init__(context, self._list, "Set up")

    async def read(self) -> None:
        """Look for sessions, clients and notes, and show them."""
        project = project_root(self.memory.path)
        home = Home.of_user()
        offers = await ask(find_offers, self.memory, home, project, is_demo=self._is_demo)
        state = await ask(self.memory.state)
        self.query_one(TitleBar).show(state)
        if not self._busy:
            self.notice("" if state.total else _how_to_begin(offers))
        self._list.show(offers)
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
        memory, offer, now = self.memory, self._list.offer, self.now()
        return lambda: offer_details(memory, offer, now)

    @on(RowList.Chosen, "#rows")
    def action_take(self) -> None:
        if self._busy or not self._list.offers:
            return
        offer = self._list.offer
        if not _can_take(offer):
            return  # the details say why
        if offer.kind is Kind.SESSIONS:
            self._taking(True)
            self.post_message(TakeIn(offer.files))
        elif offer.kind is Kind.MEMORIES:
            self.post_message(Open(routes.Capture()))
        elif (program := offer.program) is not None:
            self._do(partial(use_program, self.memory, offer, program))
        elif offer.plan is not None:
            self._do(partial(_write, offer, offer.plan))
        elif offer.kind in (Kind.HOOKS, Kind.GIT):
            tell(self.app, offer.problem or f"Nothing to add. {after_install(offer)}".strip())
        elif offer.kind is Kind.NOTES and offer.source is not None:
            self.post_message(import_from(offer.source))
        elif offer.kind is Kind.NOTES:
            self.call_later(self.run_action, "app.import")
        elif offer.kind is Kind.DEMO:
            self.post_message(OpenDemo())

    def action_remove(self) -> None:
        offer = self._list.offer
        if offer.kind is Kind.PROGRAM:
            self._do(partial(leave_program, self.memory))
        elif (plan := offer.removal) is not None:
            self._do(partial(_write, offer, plan))

    @question("setup")
    async def _do(self, change: Callable[[], str]) -> None:
        """Change what is set up, say what it says of that, and look again."""
        said = await ask(change)
        self._busy = False
        self.notice("")
        tell(self.app, said)
        for screen in self.app.screen_stack:
            screen.post_message(HooksWritten())
        self.action_reload()

    def _taking(self, busy: bool) -> None:
        self._busy = busy
        self.refresh_bindings()

    def action_stop(self) -> None:
        self.post_message(StopTakingIn())

    def on_sessions_read(self, event: SessionsRead) -> None:
        if not self._busy:
            self._taking(True)
        self.notice(progress_in_words(event.done, event.total))

    def on_take_in_ended(self) -> None:
        self._taking(False)
        self.notice("")
        self.action_reload()

    def failed(self, error: StoreError) -> None:
        self._busy = False
        self.notice(error.told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "take":
            return bool(self._list.offers) and not self._busy and _can_take(self._list.offer)
        if action == "remove":
            return bool(self._list.offers) and _can_remove(self._list.offer)
        if action == "stop":
            return self._busy
        return super().check_action(action, parameters)


def _can_take(offer: Offer) -> bool:
    """Whether something is left to be done of an offer, or to be said of it."""
    if offer.kind in (Kind.HOOKS, Kind.GIT):
        return offer.plan is not None or not offer.done
    if offer.kind is Kind.PROGRAM:
        return not offer.done
    return offer.kind is not Kind.SESSIONS or bool(offer.files)


def _can_remove(offer: Offer) -> bool:
    """Whether something that was set up can be taken out again."""
    return offer.done if offer.kind is Kind.PROGRAM else offer.removal is not None


def _how_to_begin(offers: Sequence[Offer]) -> str:
    """What is said while there are no memories: the sessions that were found, and what to do."""
    found = "".join(f"{it.state}. " for it in offers if it.kind is Kind.SESSIONS and it.files)
    return f"{found}No memories yet. Start with one of these:"


def _write(offer: Offer, plan: InstallPlan | GitPlan) -> str:
    """Install, or remove, the hooks of a client or the merge driver; what is to be said of it."""
    if isinstance(plan, InstallPlan):
        apply_install(plan)
        what = f"hooks for {client_named(offer.name).title}"
    else:
        from store.git.setup import apply_git_plan

        apply_git_plan(plan)
        what = "the merge driver"
    if plan is offer.removal:
        return f"Removed {what}."
    return f"Installed {what}. {after_install(offer)}".strip()
