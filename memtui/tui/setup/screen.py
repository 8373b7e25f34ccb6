"""Set up: each offer a row; what it would do beside it; Enter does just that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.client_file import InstallPlan, apply_install
from memtui.formatting import count, fit
from memtui.tui import routes
from memtui.tui.message import Message
from memtui.tui.operations import import_from
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.route import Context, Open
from memtui.tui.setup.details import after_install, offer_details
from memtui.tui.setup.offer import Kind, Offer
from memtui.tui.setup.offers import find_offers
from memtui.tui.setup.programs import leave_program, use_program
from memtui.tui.take_in import (
    HooksWritten,
    SessionsRead,
    StopTakingIn,
    TakeIn,
    progress_in_words,
)
from memtui.tui.toasts import tell
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import MemoryFailed, Tell, ask
from store.agents import Home, client_named
from store.places import project_root
from store.text import visible

if TYPE_CHECKING:
    from store.git import GitPlan
    from store.pipeline import StoreState


class OffersRead(Message, bubble=False):
    """What there is to set up."""

    offers: Sequence[Offer]
    state: StoreState


class Finished(Message, bubble=False):
    """An offer was taken; what is to be said of it."""

    said: str


class OpenDemo(Message):
    """Asks the app to end, and to be opened again on the sample store."""


class OfferList(OverviewList):
    """One offer a line: a mark where it is done, what it is, how it stands."""

    def __init__(self) -> None:
        super().__init__(id="rows")
        self.offers: Sequence[Offer] = ()

    def show(self, offers: Sequence[Offer]) -> None:
        """Show these."""
        self.offers = offers
        self.row_count = len(offers)
        self.reload()

    def row_key(self, index: int) -> str:
        """The offer's name and how it stands: its details change with that."""
        offer = self.offers[index]
        return f"{offer.kind} {offer.name} {offer.state}"

    @property
    def offer(self) -> Offer:
        """The offer under the cursor."""
        return self.offers[self.cursor]

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, done mark, title, state."""
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "take",
            "apply",
            id="setup.take",
            tooltip="Do what the details describe",
        ),
        Binding("t", "stop", "stop", id="setup.stop", tooltip="Stop indexing"),
        Binding(
            "r",
            "remove",
            "remove",
            id="setup.remove",
            tooltip="Remove hooks, the merge driver or the command",
        ),
    ]

    def __init__(self, context: Context, route: routes.Setup) -> None:
        self._list = OfferList()
        self._busy = False
        self._is_demo = context.is_demo
        self._wanted = route.offer
        super().__init__(context, self._list, "Set up")

    def read(self, tell: Tell) -> None:
        """Look for sessions, clients and notes."""
        project = project_root(self.memory.path)
        offers = find_offers(self.memory, Home.of_user(), project, is_demo=self._is_demo)
        tell(OffersRead(offers, self.memory.state()))

    def on_offers_read(self, event: OffersRead) -> None:
        """Show them."""
        self.query_one(TitleBar).show(event.state)
        if not self._busy:
            self.notice("" if event.state.total else _how_to_begin(event.offers))
        self._list.show(event.offers)
        names = [offer.name for offer in event.offers]
        if self._wanted in names:
            self._list.cursor = names.index(self._wanted)
            self._wanted = ""
        self.show_rows(count(len(event.offers)))
        self.refresh_bindings()

    @on(RowList.Moved, "#rows")
    def _offer_changed(self) -> None:
        self.refresh_bindings()

    def details(self) -> Details:
        """What taking the offer would do."""
        memory, offer, now = self.memory, self._list.offer, self.now()
        return lambda: offer_details(memory, offer, now)

    @on(RowList.Chosen, "#rows")
    def action_take(self) -> None:
        """Take the offer under the cursor."""
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
            self._change_setting(lambda: use_program(self.memory, offer, program))
        elif offer.plan is not None:
            plan = offer.plan
            ask(self, lambda tell: _write(offer, plan, tell), group="setup")
        elif offer.kind in (Kind.HOOKS, Kind.GIT):
            tell(self.app, offer.problem or f"Nothing to add. {after_install(offer)}".strip())
        elif offer.kind is Kind.NOTES and offer.source is not None:
            self.post_message(import_from(offer.source))
        elif offer.kind is Kind.NOTES:
            self.call_later(self.run_action, "app.import")
        elif offer.kind is Kind.DEMO:
            self.post_message(OpenDemo())

    def action_remove(self) -> None:
        """Take out what was installed of the offer under the cursor."""
        offer = self._list.offer
        if offer.kind is Kind.PROGRAM:
            self._change_setting(lambda: leave_program(self.memory))
        elif (plan := offer.removal) is not None:
            ask(self, lambda tell: _write(offer, plan, tell), group="setup")

    def _change_setting(self, change: Callable[[], str]) -> None:
        ask(self, lambda tell: tell(Finished(change())), group="setup")

    def _taking(self, busy: bool) -> None:
        self._busy = busy
        self.refresh_bindings()

    def action_stop(self) -> None:
        """Stop taking in; what was read is kept."""
        self.post_message(StopTakingIn())

    def on_sessions_read(self, event: SessionsRead) -> None:
        """Say how far taking in is; it goes on when this screen is left."""
        if not self._busy:
            self._taking(True)
        self.notice(progress_in_words(event.done, event.total))

    def on_take_in_ended(self) -> None:
        """Look again."""
        self._taking(False)
        self.notice("")
        self.action_reload()

    def on_finished(self, event: Finished) -> None:
        """Say what was done, and look again."""
        self._busy = False
        self.notice("")
        tell(self.app, event.said)
        for screen in self.app.screen_stack:
            screen.post_message(HooksWritten())
        self.action_reload()

    def on_memory_failed(self, event: MemoryFailed) -> None:
        """Say what went wrong, beside what still works."""
        self._busy = False
        self.notice(event.error.told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something is offered."""
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


def _write(offer: Offer, plan: InstallPlan | GitPlan, tell: Tell) -> None:
    """Install, or remove, the hooks of a client or the merge driver."""
    if isinstance(plan, InstallPlan):
        apply_install(plan)
        what = f"hooks for {client_named(offer.name).title}"
    else:
        from store.git import apply_git_plan

        apply_git_plan(plan)
        what = "the merge driver"
    if plan is offer.removal:
        tell(Finished(f"Removed {what}."))
    else:
        tell(Finished(f"Installed {what}. {after_install(offer)}".strip()))
