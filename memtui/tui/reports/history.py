"""History: the operations of the last 30 days; any of them can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from textual.content import Content

from memtui.formatting import age, count, fit, memories, moment
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.paragraphs import BLANK, Paragraph, plain
from memtui.tui.frame.route import Context
from memtui.tui.frame.toasts import toast
from memtui.tui.operations import redo, undo
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.diff import diff_paragraphs
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.sentences import title
from store import Memory
from store.action import ActionKind
from store.errors import StoreError
from store.operations.journal import OperationInfo
from store.text.display import visible

_WIDE = 60
"""Columns from which a row has room for figures."""


class OperationList(OverviewList[OperationInfo]):
    """One operation a line: how long ago, what, how much of it, and whether it was undone."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._now = now

    def row_key(self, row: OperationInfo) -> str:
        return row.id

    def draw(self, row: OperationInfo, index: int, width: int) -> Content:
        settled = row.undone or row.kind == "undo"
        lead = Content.assemble(
            self.cursor_mark(index),
            (fit(age(row.timestamp, self._now()), 4, align="right"), "$dim"),
            "  ",
        )
        undone = fit("undone", 8, align="right") if row.undone else ""
        number = fit(count(row.count) if row.count else "", 7, align="right")
        tail = Content.styled(f"{undone:8}{number}  {row.id[-4:]} ", "$dim")
        if width < _WIDE:
            tail = Content.styled(undone, "$dim")
        room = max(0, width - lead.cell_length - tail.cell_length)
        content = Content.assemble(
            (visible(title(row.action), newlines=False), "$dim" if settled else ""),
            (f"  {visible(row.about, newlines=False)}", "$dim"),
        ).truncate(room, ellipsis=True, pad=True)
        return Content.assemble(lead, content, tail)


class HistoryScreen(OverviewScreen):
    """Operations on memory, newest first, each with its diff."""

    MANUAL_PAGE = "screens/history.md"
    BINDINGS = bindings("history")

    def __init__(self, context: Context, route: routes.History) -> None:
        self._list = OperationList(context.now)
        super().__init__(context, self._list, "History")

    async def read(self) -> None:
        operations, state = await ask(
            lambda: (self.memory.history.operations(), self.memory.state())
        )
        self.query_one(TitleBar).show(state)
        self._list.list_rows(operations)
        if operations:
            self.show_rows(count(len(operations)))
        else:
            self.show_message(
                "No operations in the last 30 days.",
                "Edits, compactions, imports and repairs appear here",
                "and can be undone.",
            )

    def details(self) -> Details:
        memory, item, now = self.memory, self._list.at, self.now()
        return lambda: operation_details(memory, item, now) if item is not None else []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("undo_selected", "redo_selected"):
            return self._list.at is not None
        return super().check_action(action, parameters)

    def action_undo_selected(self) -> None:
        if (item := self._list.at) is None:
            return
        if item.undone:
            key = key_in_use(self.app, "history.redo")
            toast(self.app, f"This operation is undone. {key} to redo it.")
        else:
            self.post_message(undo(item.id))

    def action_redo_selected(self) -> None:
        if (item := self._list.at) is None:
            return
        if item.undone or item.kind == ActionKind.UNDO:
            self.post_message(redo(item.id))
        else:
            toast(self.app, "This operation is not undone.")


def operation_details(memory: Memory, item: OperationInfo, now: datetime) -> list[Paragraph]:
    facts = [
        f"{moment(item.timestamp, now)}",
        *([memories(item.count)] if item.count else []),
        f"id {item.id}",
        *(["undone"] if item.undone else []),
    ]
    return [
        plain(visible(title(item.action), newlines=False), "bold"),
        plain(" · ".join(facts), "$dim"),
        BLANK,
        *operation_diff(memory, item.id),
    ]


def operation_diff(memory: Memory, operation_id: str) -> list[Paragraph]:
    """Return the diff of an operation in the journal, or why it can't be shown."""
    try:
        plan = memory.history.plan_of(operation_id)
    except StoreError as error:
        return [plain(visible(error.message), "$dim")]
    return diff_paragraphs(plan)
