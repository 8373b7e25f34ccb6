"""Pick an issue from a counted list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from memtui.widgets.row_list import MOVE, RowList
from memtui.widgets.titled import Titled
from memtui.words import count, fit

ALL = -1
"""Stands for all issues."""


class IssueList(RowList):
    """Issues, newest number first, each with its count and a bar to compare by."""

    def __init__(self, counts: Mapping[int, int], chosen: tuple[str, ...]) -> None:
        super().__init__(id="issues")
        self._counts = counts
        self._chosen = chosen
        self._most = max(counts.values(), default=1)
        self._issues: tuple[int, ...] = ()

    def on_mount(self) -> None:
        """List them all."""
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """List only the issues whose number begins with `typed`, that very one first."""
        matching = [number for number in self._counts if str(number).startswith(typed)]
        matching.sort(key=lambda number: (str(number) != typed, -number))
        self._issues = tuple(matching) if typed else (ALL, *matching)
        self.row_count = len(self._issues)
        self.cursor = 0
        self.reload()

    @property
    def issue(self) -> int | None:
        """The issue under the cursor."""
        return self._issues[self.cursor] if self._issues else None

    @property
    def cursor_stays(self) -> bool:
        """The cursor shows while the box above has the focus."""
        return True

    def row(self, index: int, width: int) -> Content:
        """Check mark, number, bar, count."""
        issue = self._issues[index]
        number = sum(self._counts.values()) if issue == ALL else self._counts[issue]
        name = "all issues" if issue == ALL else f"#{issue}" + ("  project" if not issue else "")
        picked = str(issue) in self._chosen
        figure = count(number)
        room = max(0, width - 14 - 3 - 10)
        cells = 0 if issue == ALL else max(1, round(room * number / self._most))
        return Content.assemble(
            ("▸ " if index == self.cursor else "✓ " if picked else "  ", "$accent-text"),
            (fit(name, 14), "bold $accent-text" if picked else ""),
            ("━" * cells, "$dim"),
            " " * (room - cells),
            (fit(figure, 9, align="right"), "$dim"),
            " ",
        )

    def clicked(self, index: int, times: int) -> None:
        """One click chooses."""
        self.action_choose()


class Picker(Titled, Vertical):
    """The window of the picker."""


class IssuePicker(ModalScreen[int | None]):
    """A list of issues that narrows while a number is typed; gives the issue, ALL or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back", id="issues.back"),
        Binding("down", "step(1)", "down", show=False, group=MOVE, id="issues.down"),
        Binding("up", "step(-1)", "up", show=False, group=MOVE, id="issues.up"),
        Binding("pagedown", "step(10)", "ten down", show=False, group=MOVE, id="issues.pgdn"),
        Binding("pageup", "step(-10)", "ten up", show=False, group=MOVE, id="issues.pgup"),
        Binding("enter", "pick", "pick issue", id="issues.pick", priority=True),
    ]
    AUTO_FOCUS = "#issue-number"

    def __init__(self, counts: Mapping[int, int], chosen: tuple[str, ...]) -> None:
        super().__init__()
        self._counts = counts
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """A box for the number above the list."""
        with Picker(id="picker"):
            yield Input(
                id="issue-number",
                placeholder="type a number",
                restrict=r"[0-9]{0,9}",
                compact=True,
                select_on_focus=False,
            )
            yield IssueList(self._counts, self._chosen)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        self.query_one(IssueList).narrow(event.value)

    def on_mount(self) -> None:
        """Name the window."""
        self.query_one(Picker).set_title("Issues", count(len(self._counts)))

    def action_step(self, rows: int) -> None:
        """Move in the list while the box keeps the focus."""
        self.query_one(IssueList).action_move(rows)

    def action_pick(self) -> None:
        """Give the issue under the cursor."""
        issue = self.query_one(IssueList).issue
        if issue is not None:
            self.dismiss(issue)

    def on_row_list_chosen(self) -> None:
        """Give the issue that was clicked."""
        self.action_pick()
