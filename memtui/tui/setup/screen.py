"""Set up: each offer a row; what it would do beside it; Enter does just that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from textual import on
from textual.content import Content
from textual.message import Message

from memtui.client_file import InstallPlan, apply_install
from memtui.formatting import count, fit, moment, plural, short_path, size
from memtui.hooks.status import HookStatus
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.indexing import (
    HooksWritten,
    IndexSessions,
    SessionsRead,
    StopIndexing,
    progress_in_words,
)
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.routes import Context, Open
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import import_from
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.setup.offers import (
    PLACE_SENTENCES,
    Kind,
    Offer,
    begins_elsewhere,
    find_offers,
    keep_place,
    leave_program,
    pick_place,
    program_details,
    sessions_in_words,
    use_program,
)
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.title_bar import TitleBar
from store import Memory
from store.agents.client import Home
from store.agents.hooks import HookState
from store.agents.registry import client_named
from store.backends.placement import MemoryPlace
from store.backends.user_data import project_root
from store.errors import StoreError
from store.git.setup import GitPlan, apply_git_plan
from store.text.display import visible

_SHOWN = 12
"""Sessions named in the details; the rest is counted."""
_EVENT = 20
"""Cells of the longest event's name, and the gap after it."""


def offer_details(memory: Memory, offer: Offer, now: datetime) -> list[Paragraph]:
    title = plain(visible(offer.title, newlines=False), "bold")
    if offer.problem:
        return [title, BLANK, plain(visible(offer.problem), "$text-error")]
    if offer.kind is Kind.SESSIONS:
        return [title, BLANK, *_session_details(offer, now)]
    if offer.kind is Kind.MEMORIES:
        return [title, BLANK, *map(plain, _capture_sentences(memory, offer))]
    if offer.kind is Kind.HOOKS:
        return [title, BLANK, *_hook_details(offer)]
    if offer.kind is Kind.COMMAND:
        return [title, BLANK, *_command_details(offer)]
    if offer.program is not None:
        return [title, BLANK, *program_details(memory, offer, offer.program)]
    if offer.kind is Kind.PLACE:
        return [title, BLANK, *map(plain, PLACE_SENTENCES)]
    if offer.kind is Kind.GIT:
        return [title, BLANK, *_driver_details(offer)]
    if offer.kind is Kind.NOTES and offer.source is not None:
        return [title, BLANK, *_note_details(memory, offer.source)]
    if offer.kind is Kind.NOTES:
        said = "Import another store, JSON lines or Markdown notes, after a preview."
        return [title, BLANK, plain(said)]
    return [title, BLANK, plain("Opens sample data. Nothing here changes.")]


def _session_details(offer: Offer, now: datetime) -> list[Paragraph]:
    if not offer.files:
        return [
            plain("All sessions of this project are indexed.")
            if offer.done
            else plain("No agent sessions found for this project.")
        ]
    lines = [
        plain(
            f"Reads {sessions_in_words(offer.files)}, newest first. Nothing leaves this machine."
        ),
        plain("Keeps requests, changes and decisions; redacts secrets."),
        BLANK,
    ]
    for file in offer.files[:_SHOWN]:
        told = f"{moment(file.modified, now)}  {file.client}  {size(file.size)}"
        lines.append(plain(told, "$dim"))
    if len(offer.files) > _SHOWN:
        lines.append(plain(f"and {plural(len(offer.files) - _SHOWN, 'more session')}", "$dim"))
    return lines


def _capture_sentences(memory: Memory, offer: Offer) -> Iterator[str]:
    yield (
        f"Reads {sessions_in_words(offer.files)} and previews what to remember: decisions, "
        "changes and why, errors and their fixes, corrections, commands that work."
    )
    if program := memory.settings.capture_program:
        said = f"Rules pick first; then {program} can be asked, once you saw how much is sent."
        yield visible(said, newlines=False)
    yield "Nothing is stored before you apply it. You can undo it."


def _hook_details(offer: Offer) -> list[Paragraph]:
    if offer.done:
        lines = [plain("All hooks are installed and active.")]
    elif isinstance(offer.plan, InstallPlan):
        path = visible(str(offer.plan.path), newlines=False)
        backup = " and keeps a backup" if offer.plan.backup is not None else ""
        lines = [plain(f"Adds the green lines{backup}: {path}")]
    else:
        lines = [plain(f"Its file is up to date. {after_install(offer)}".strip())]
    if any(hook.state is not HookState.MISSING for hook in offer.hooks):
        lines += [BLANK, *map(_hook_line, offer.hooks)]
    return [*lines, *_diff_lines(offer)]


def _command_details(offer: Offer) -> list[Paragraph]:
    said = (
        "When a session has taught something, type it: the agent stores that as memories, itself. "
        "Costs one answer of the session's own model."
    )
    if not isinstance(offer.plan, InstallPlan):
        return [plain(said)]
    path = short_path(visible(str(offer.plan.path), newlines=False))
    return [plain(said), plain(f"Writes {path}"), *_diff_lines(offer)]


def _driver_details(offer: Offer) -> list[Paragraph]:
    if offer.done:
        return [plain("git merges memory by memory and shows changes in words.")]
    said = "Keeps additions and deletions of both branches, and both versions of a double edit."
    return [plain(said), plain("Adds the green lines; commit .gitattributes."), *_diff_lines(offer)]


def _diff_lines(offer: Offer) -> list[Paragraph]:
    if offer.plan is None:
        return []
    lines = [BLANK]
    for line in offer.plan.diff.splitlines():
        if line.startswith(("--- ", "+++ ")):
            continue
        style = {"+": "$text-success", "-": "$text-error"}.get(line[:1], "$dim")
        lines.append(plain(visible(line, newlines=False), style))
    return lines


def _hook_line(hook: HookStatus) -> Paragraph:
    named = "" if hook.active else str(hook.state)
    state = " · ".join(filter(None, (named, hook.reason)))
    return Paragraph(
        Content.assemble(
            ("√ ", "$text-success") if hook.active else ("· ", "$dim"),
            fit(visible(hook.event, newlines=False), _EVENT),
            (visible(state, newlines=False), "$text-warning" if _is_trouble(hook) else "$dim"),
        ),
        hang=2,
    )


def _is_trouble(hook: HookStatus) -> bool:
    """True if a hook stands in the file and would not run."""
    return not hook.active and hook.state is not HookState.MISSING


def after_install(offer: Offer) -> str:
    """Steps left to the user once hooks are in a client's file."""
    hooks = client_named(offer.name).hooks if offer.kind is Kind.HOOKS else None
    return hooks.after_install if hooks is not None and not offer.done else ""


def _note_details(memory: Memory, source: Path) -> list[Paragraph]:
    try:
        plan = memory.exchange.plan_import(source)
    except StoreError as error:
        return [plain(visible(error.told), "$dim")]
    if plan.is_empty:
        return [plain("Everything in it is already stored.")]
    found = [change.after or {} for change in plan.changes]
    lines = [
        plain(f"Adds {plural(len(found), 'memory', 'memories')}. You can undo this."),
        BLANK,
    ]
    for record in found[:_SHOWN]:
        summary = visible(str(record.get("summary", "")), newlines=False)
        lines.append(plain(f"{record.get('category', '')}  {summary}", "$dim"))
    if len(found) > _SHOWN:
        lines.append(plain(f"and {count(len(found) - _SHOWN)} more", "$dim"))
    return lines


class LeaveFor(Message):
    """Asks the app to end, and to be opened on the sample store, or again."""

    def __init__(self, wanted: Literal["demo", "again"]) -> None:
        super().__init__()
        self.wanted = wanted


class OfferList(OverviewList[Offer]):
    """One offer a line: a mark where it is done, what it is, how it stands."""

    def row_key(self, row: Offer) -> str:
        return f"{row.kind} {row.name} {row.state}"

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

    BINDINGS = bindings("setup")

    def __init__(self, context: Context, route: routes.Setup) -> None:
        self._list = OfferList()
        self._busy = False
        self._is_demo = context.is_demo
        self._wanted = route.offer
        super().__init__(context, self._list, "Set up")

    async def read(self) -> None:
        project = project_root(self.memory.path)
        home = Home.of_user()
        offers = await ask(find_offers, self.memory, home, project, is_demo=self._is_demo)
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
        memory, offer, now = self.memory, self._list.at, self.now()
        return lambda: offer_details(memory, offer, now) if offer is not None else []

    @on(RowList.Chosen, "#rows")
    def action_take(self) -> None:
        offer = self._list.at
        if self._busy or offer is None or not _can_take(offer):
            return  # the details say why
        if offer.kind is Kind.SESSIONS:
            self._taking(True)
            self.post_message(IndexSessions(offer.files))
        elif offer.kind is Kind.MEMORIES:
            self.post_message(Open(routes.Capture()))
        elif (program := offer.program) is not None:
            self._do(partial(use_program, self.memory, offer, program))
        elif offer.kind is Kind.PLACE:
            self._ask_place()
        elif offer.plan is not None:
            write = partial(_write, offer, offer.plan)
            if offer.kind is Kind.HOOKS and self._place_is_open():
                self._ask_place(write)
            else:
                self._do(write)
        elif offer.kind in (Kind.HOOKS, Kind.GIT):
            toast(self.app, offer.problem or f"Nothing to add. {after_install(offer)}".strip())
        elif offer.kind is Kind.NOTES and offer.source is not None:
            self.post_message(import_from(offer.source))
        elif offer.kind is Kind.NOTES:
            self.call_later(self.run_action, "app.import")
        elif offer.kind is Kind.DEMO:
            self.post_message(LeaveFor("demo"))

    def _place_is_open(self) -> bool:
        rows = (row for row in self._list.rows if isinstance(row, Offer))
        return any(row.kind is Kind.PLACE and not row.done for row in rows)

    def _ask_place(self, then: Callable[[], str] | None = None) -> None:
        """Ask where memory begins, and keep that; then do what waits for the answer."""

        def picked(place: MemoryPlace | None) -> None:
            if place is not None:
                self._do(lambda: " ".join([keep_place(self.memory, place), then() if then else ""]))

        self.post_message(Open(pick_place(), picked))

    def action_remove(self) -> None:
        if (offer := self._list.at) is None:
            return
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
        toast(self.app, said.strip())
        if await ask(begins_elsewhere, self.memory):
            self.post_message(LeaveFor("again"))
        for screen in self.app.screen_stack:
            screen.post_message(HooksWritten())
        self.action_reload()

    def _taking(self, busy: bool) -> None:
        self._busy = busy
        self.refresh_bindings()

    def action_stop(self) -> None:
        self.post_message(StopIndexing())

    def on_sessions_read(self, event: SessionsRead) -> None:
        if not self._busy:
            self._taking(True)
        self.notice(progress_in_words(event.done, event.total))

    def on_indexing_ended(self) -> None:
        self._taking(False)
        self.notice("")
        self.action_reload()

    def failed(self, error: StoreError) -> None:
        self._busy = False
        self.notice(error.told)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        offer = self._list.at
        if action == "take":
            return offer is not None and not self._busy and _can_take(offer)
        if action == "remove":
            return offer is not None and _can_remove(offer)
        if action == "stop":
            return self._busy
        return super().check_action(action, parameters)


def _can_take(offer: Offer) -> bool:
    if offer.kind in (Kind.HOOKS, Kind.GIT):
        return offer.plan is not None or not offer.done
    if offer.kind is Kind.COMMAND:
        return offer.plan is not None
    if offer.kind is Kind.PROGRAM:
        return not offer.done
    return offer.kind is not Kind.SESSIONS or bool(offer.files)


def _can_remove(offer: Offer) -> bool:
    """True if something that was set up can be taken out again."""
    return offer.done if offer.kind is Kind.PROGRAM else offer.removal is not None


def _how_to_begin(offers: Sequence[Offer]) -> str:
    """Hint while there are no memories: the sessions that were found, and what to do."""
    found = "".join(
        f"{offer.state}. " for offer in offers if offer.kind is Kind.SESSIONS and offer.files
    )
    return f"{found}No memories yet. Start with one of these:"


def _write(offer: Offer, plan: InstallPlan | GitPlan) -> str:
    """Install, or remove, hooks, a command or the merge driver; what is to be said of it."""
    if isinstance(plan, InstallPlan):
        apply_install(plan)
        is_command = offer.kind is Kind.COMMAND
        what = offer.title if is_command else f"hooks for {client_named(offer.name).title}"
    else:
        apply_git_plan(plan)
        what = "the merge driver"
    if plan is offer.removal:
        return f"Removed {what}."
    return f"Installed {what}. {after_install(offer)}".strip()
