"""The inbox: what agents wrote, each with the lines that go and come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from types import MappingProxyType

from textual.content import Content

from memtui.formatting import age, fit, moment, plural
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context
from memtui.tui.memory.actions import WriteText, ask_to_begin
from memtui.tui.operations import PreviewPlan, Proposal, RunOperation, import_from
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.inbox import (
    EMPTY,
    MARKS,
    effect_of,
    facts_of,
    grouped,
    heading_of,
    left_in_words,
    lines_of,
)
from store import Memory
from store.inbox.entry import Entry, EntryKind, approvable
from store.model import Level
from store.operations.plan import Plan
from store.text.display import visible, visible_line

_STYLES = MappingProxyType(
    {"+": "$text-success", "-": "$text-error", "~": "$accent-text", ">": "$accent-text"}
)
_EFFECT = 10
_MOST_LINES = 2_000
"""Lines that are shown; the editor shows all."""
_WIDE = 60
"""Columns from which a row says in words what becomes of it."""


class InboxList(OverviewList[Entry]):
    """One entry a line: how long ago, what becomes of it, its title."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def row_key(self, row: Entry) -> str:
        return row.id

    def heading(self, text: str) -> Content:
        return Content.styled(f"  {visible_line(text)}", "bold")

    def draw(self, row: Entry, index: int, width: int) -> Content:
        mark = MARKS[row.kind]
        words = f"{mark} {fit(effect_of(row), _EFFECT)}" if width >= _WIDE else mark
        lead = Content.assemble(
            self.cursor_mark(index),
            (fit(age(row.when, self._now()), 4, align="right"), "$dim"),
            "  ",
            (words, _STYLES[mark]),
            "  ",
        )
        tail = Content.styled("changed since " if row.is_outdated else "", "$text-warning")
        room = max(0, width - lead.cell_length - tail.cell_length)
        title = Content(visible_line(row.title)).truncate(room, ellipsis=True, pad=True)
        return Content.assemble(lead, title, tail)


class InboxScreen(OverviewScreen):
    """What agents wrote that waits, by its source."""

    MANUAL_PAGE = "screens/inbox.md"
    BINDINGS = bindings("inbox")

    def __init__(self, context: Context, route: routes.Inbox) -> None:
        self.route = route  # the app opens it again where a level begins
        self._list = InboxList(context.now)
        super().__init__(context, self._list, "Inbox")

    def on_memory_changed(self) -> None:
        self.action_reload()

    async def read(self) -> None:
        waiting, state = await ask(lambda: (self.memory.inbox.look(), self.memory.state()))
        self.query_one(TitleBar).show(state)
        problems = [f"{problem.path}: {problem.message}" for problem in waiting.problems]
        self.notice(visible_line(" · ".join(problems)))
        rows: list[Entry | str] = []
        for heading, entries in grouped(waiting.entries):
            rows += [heading, *entries]
        self._list.list_rows(rows)
        if waiting.entries:
            self.show_rows(plural(len(waiting.entries), "change"))
            return
        is_reviewed = self.memory.settings.review == "before"
        at_once = "What agents store is there at once, and can be undone."
        how = "Settings (,): with review = before it waits here first."
        self.show_message(
            EMPTY,
            "What agents want to store waits here first." if is_reviewed else at_once,
            "What they change in instruction files and own memories comes here.",
            *(() if is_reviewed else (how,)),
        )

    def details(self) -> Details:
        row, now = self._list.at, self.now()
        self.refresh_bindings()  # what is to be deleted can't be edited
        return lambda: [] if row is None else list(_entry_paragraphs(row, now))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("approve", "take_back", "edit", "approve_all"):
            row = None if self.sentence else self._list.at
            can_edit = row is not None and row.kind not in (EntryKind.GONE, EntryKind.MOVED)
            return can_edit if action == "edit" else row is not None
        if action == "import_file":
            row = None if self.sentence else self._list.at
            return row is not None and row.path is not None
        return super().check_action(action, parameters)

    def action_import_file(self) -> None:
        if (row := self._list.at) is not None and row.path is not None:
            self.post_message(import_from(row.path))

    def action_approve(self) -> None:
        """Approve the entry under the cursor, once the level that it is for has begun."""
        if (row := self._list.at) is None:
            return
        ids = [row.id]
        if not row.needs_level or row.level not in list(Level) or self.memory.backend.levels:
            self.post_message(RunOperation(lambda memory: memory.inbox.approve(ids)))
            return
        level = Level(row.level)
        self.post_message(ask_to_begin(level, self.post_message, "Then approve it."))

    def action_take_back(self) -> None:
        if (row := self._list.at) is not None:
            ids = [row.id]
            self.post_message(RunOperation(lambda memory: memory.inbox.take_back(ids)))

    def action_approve_all(self) -> None:
        """Approve all that is listed and can be approved together, after a preview."""
        listed = [row for row in self._list.rows if not isinstance(row, str)]
        ids = [row.id for row in approvable(listed)]
        left = len(listed) - len(ids)

        def plan(memory: Memory) -> Proposal | None:
            proposal = Proposal.of(memory.inbox.plan_approve(ids))
            return proposal and replace(
                proposal,
                count=len(ids),
                carry_out=lambda memory: memory.inbox.approve(ids),
                also=[(">", left_in_words(left))] if left else [],
            )

        self.post_message(PreviewPlan(plan, left_in_words(left)))

    def action_edit(self) -> None:
        """Edit the text that waits, in the editor or here."""
        if (row := self._list.at) is not None:

            def plan(text: str) -> Plan:
                return self.memory.inbox.plan_edit(row.id, text.rstrip("\n"))

            name, text = f"inbox-{row.id}", row.after.rstrip("\n")
            of_file = row.path is not None
            self.post_message(WriteText(routes.Write("Edit", name, text, plan, of_file)))


def _entry_paragraphs(entry: Entry, now: datetime) -> Iterator[Paragraph]:
    yield plain(visible_line(heading_of(entry)), "bold")
    yield plain(visible_line(f"{facts_of(entry)} · {moment(entry.when, now)}"), "$dim")
    if entry.is_outdated:
        yield plain(
            "The memory changed since. Take this back, and delete it yourself."
            if entry.kind is EntryKind.GONE
            else "The memory changed since. Where that changed its text, edit this first.",
            "$text-warning",
        )
    yield BLANK
    for sign, line in islice(lines_of(entry), _MOST_LINES):
        style = _STYLES.get(sign, "")
        lead = Content.styled(f"{sign} ", f"bold {style}".strip())
        yield Paragraph(Content.styled(visible(line, newlines=False), style), lead=lead)
