"""History: the operations of the last 30 days; any of them can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from textual.content import Content

from memtui.formatting import age, count, fit, memories, moment
from memtui.tui.frame import routes
from memtui.tui.frame.ask import ask
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.operations import redo, undo
from memtui.tui.frame.routes import Context
from memtui.tui.frame.toasts import tell
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.widgets.diff import diff_paragraphs
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.tui.widgets.title_bar import TitleBar
from memtui.words.sentences import title
from store import Memory
from store.action import ActionKind
from store.errors import StoreError
from store.operations.history import OperationInfo
from store.text.display import visible

_WIDE = 60
"""Columns from which a row has room for figures."""


class OperationList(OverviewList):
    """One operation a line: how long ago, what, how much of it, and whether it was undone."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="rows")
        self._now = now
        self.operations: Sequence[OperationInfo] = ()

    def show(self, operations: Sequence[OperationInfo]) -> None:
        at = self.row_key(self.cursor) if self.operations else ""
        self.operations = operations
        self.row_count = len(operations)
        ids = [operation.id for operation in operations]
        self.cursor = ids.index(at) if at in ids else self.cursor
        self.reload()

    def row_key(self, index: int) -> str:
        return self.operations[index].id

    @property
    def operation(self) -> OperationInfo:
        return self.operations[self.cursor]

    def row(self, index: int, width: int) -> Content:
        item = self.operations[index]
        settled = item.undone or item.kind == "undo"
        lead = Content.assemble(
            ("▸ " if index == self.cursor else "  ", "$accent-text"),
            (fit(age(item.timestamp, self._now()), 4, align="right"), "$dim"),
            "  ",
        )
        undone = fit("undone", 8, align="right") if item.undone else ""
        number = fit(count(item.count) if item.count else "", 7, align="right")
        tail = Content.styled(f"{undone:8}{number}  {item.id[-4:]} ", "$dim")
        if width < _WIDE:
            tail = Content.styled(undone, "$dim")
        room = max(0, width - lead.cell_length - tail.cell_length)
        said = Content.assemble(
            (visible(title(item.action), newlines=False), "$dim" if settled else ""),
            (f"  {visible(item.about, newlines=False)}", "$dim"),
        ).truncate(room, ellipsis=True, pad=True)
        return Content.assemble(lead, said, tail)


class HistoryScreen(OverviewScreen):
    """What changed memory, newest first, each with its diff."""

    BINDINGS = bindings("history")

    def __init__(self, context: Context, route: routes.History) -> None:
        self._list = OperationList(context.now)
        super().__init__(context, self._list, "History")

    async def read(self) -> None:
        operations, state = await ask(
            lambda: (self.memory.history.operations(), self.memory.state())
        )
        self.query_one(TitleBar).show(state)
        self._list.show(operations)
        if operations:
            self.show_rows(count(len(operations)))
        else:
            self.say(
                "No operations in the last 30 days.",
                "Edits, compactions, imports and repairs appear here",
                "and can be undone.",
            )

    def details(self) -> Details:
        memory, item, now = self.memory, self._list.operation, self.now()
        return lambda: operation_details(memory, item, now)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("undo_selected", "redo_selected"):
            return bool(self._list.operations)
        return super().check_action(action, parameters)

    def action_undo_selected(self) -> None:
        item = self._list.operation
        if item.undone:
            key = key_in_use(self.app, "history.redo")
            tell(self.app, f"This operation is undone. {key} to redo it.")
        else:
            self.post_message(undo(item.id))

    def action_redo_selected(self) -> None:
        item = self._list.operation
        if item.undone or item.kind == ActionKind.UNDO:
            self.post_message(redo(item.id))
        else:
            tell(self.app, "This operation is not undone.")


def operation_details(memory: Memory, item: OperationInfo, now: datetime) -> list[Paragraph]:
    """What an operation did: title, facts, diff."""
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
    """The diff of an operation in the journal, or why it can't be shown."""
    try:
        plan = memory.history.plan_of(operation_id)
    except StoreError as error:
        return [plain(visible(error.message), "$dim")]
    return diff_paragraphs(plan)
