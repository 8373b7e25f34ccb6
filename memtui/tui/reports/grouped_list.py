"""The list of an overview in groups, each below a heading that the cursor passes over."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Generic, TypeVar

from memtui.tui.reports.overview import OverviewList

T = TypeVar("T")


class GroupedList(OverviewList, Generic[T]):
    """Rows of any kind but text; what is text among them is a heading."""

    def __init__(self) -> None:
        super().__init__(id="rows")
        self.rows: Sequence[T | str] = ()

    def show_groups(self, rows: Sequence[T | str]) -> None:
        self.rows = rows
        self.row_count = len(rows)
        self.cursor = self.validate_cursor(self.cursor)
        self.reload()

    @property
    def at(self) -> T | None:
        """What the cursor is at; None where there is nothing but headings."""
        row = self.rows[self.cursor] if self.rows else ""
        return None if isinstance(row, str) else row

    def validate_cursor(self, cursor: int) -> int:
        at = super().validate_cursor(cursor)
        onward, back = range(at, len(self.rows)), range(min(at, len(self.rows) - 1), -1, -1)
        places = chain(back, onward) if at < self.cursor else chain(onward, back)
        return next((place for place in places if not isinstance(self.rows[place], str)), at)
