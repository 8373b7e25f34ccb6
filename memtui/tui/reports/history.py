"""History: the operations of the last 30 days; any of them can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.formatting import age, count, fit, memories, moment
from memtui.tui import routes
from memtui.tui.key_names import key_in_use
from memtui.tui.message import Message
from memtui.tui.operations import redo, undo
from memtui.tui.reports.overview import Details, OverviewList, OverviewScreen
from memtui.tui.route import Context
from memtui.tui.toasts import tell
from memtui.tui.widgets.diff import diff_paragraphs
from memtui.tui.widgets.paragraphs import BLANK, Paragraph, plain
from memtui.tui.widgets.title_bar import TitleBar
from memtui.tui.worker import Tell
from memtui.words.sentences import title
from store.errors import StoreError
from store.pipeline import MemoryPipeline, OperationInfo, StoreState
from store.text import visible
from store.values import ActionKind

_WIDE = 60
"""Columns from which a row has room for figures."""


class HistoryRead(Message, bubble=False):
    """The operations, newest first."""

    operations: Sequence[OperationInfo]
    state: StoreState


class OperationList(OverviewList):
    """One operation a line: how long ago, what, how much of it, and whether it was undone."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="rows")
        self._now = now
        self.operations: Sequence[OperationInfo] = ()

    def show(self, operations: Sequence[OperationInfo]) -> None:
        """Show these, the cursor staying on its operation."""
        at = self.row_key(self.cursor) if self.operations else ""
        self.operations = operations
        self.row_count = len(operations)
        ids = [operation.id for operation in operations]
        self.cursor = ids.index(at) if at in ids else self.cursor
        self.reload()

    def row_key(self, index: int) -> str:
        """The operation's id."""
        return self.operations[index].id

    @property
    def operation(self) -> OperationInfo:
        """The operation under the cursor."""
        return self.operations[self.cursor]

    def row(self, index: int, width: int) -> Content:
        """Cursor mark, age, title, what it was about, state, count, the ending of the id."""
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "u,ctrl+z",
            "undo_selected",
            "undo this",
            id="history.undo",
            tooltip="Undo this operation",
        ),
        Binding(
            "U,ctrl+y",
            "redo_selected",
            "redo this",
            id="history.redo",
            tooltip="Redo this undone operation",
        ),
    ]

    def __init__(self, context: Context, route: routes.History) -> None:
        self._list = OperationList(context.now)
        super().__init__(context, self._list, "History")

    def read(self, tell: Tell) -> None:
        """Read the journal."""
        tell(HistoryRead(self.memory.history(), self.memory.state()))

    def on_history_read(self, event: HistoryRead) -> None:
        """Show the operations, or that there are none."""
        self.query_one(TitleBar).show(event.state)
        self._list.show(event.operations)
        if event.operations:
            self.show_rows(count(len(event.operations)))
        else:
            self.say(
                "No operations in the last 30 days.",
                "Edits, compactions, imports and repairs appear here",
                "and can be undone.",
            )

    def details(self) -> Details:
        """What reads the operation's diff."""
        memory, item, now = self.memory, self._list.operation, self.now()
        return lambda: operation_details(memory, item, now)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Undo and redo are offered where there is an operation."""
        if action in ("undo_selected", "redo_selected"):
            return bool(self._list.operations)
        return super().check_action(action, parameters)

    def action_undo_selected(self) -> None:
        """Undo this operation."""
        item = self._list.operation
        if item.undone:
            key = key_in_use(self.app, "history.redo")
            tell(self.app, f"This operation is undone. {key} to redo it.")
        else:
            self.post_message(undo(item.id))

    def action_redo_selected(self) -> None:
        """Redo this operation."""
        item = self._list.operation
        if item.undone or item.kind == ActionKind.UNDO:
            self.post_message(redo(item.id))
        else:
            tell(self.app, "This operation is not undone.")


def operation_details(
    memory: MemoryPipeline, item: OperationInfo, now: datetime
) -> list[Paragraph]:
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


def operation_diff(memory: MemoryPipeline, operation_id: str) -> list[Paragraph]:
    """The diff of an operation in the journal, or why it can't be shown."""
    try:
        plan = memory.plan_of(operation_id)
    except StoreError as error:
        return [plain(visible(error.message), "$dim")]
    return diff_paragraphs(plan)
