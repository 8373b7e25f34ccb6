"""A list of values that the query can ask for: the base of agents and categories."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.message import Message

from memtui.tui.widgets.panes import Titled
from memtui.tui.widgets.row_list import RowList

RowT = TypeVar("RowT")


class FilterList(Titled, RowList[RowT], Generic[RowT]):
    """Rows that each name a filter of the query; one chosen again is taken out of it."""

    @dataclass
    class Toggled(Message):
        """A row was chosen; one without a value takes all filters of its field away."""

        field: str
        value: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._chosen: frozenset[tuple[str, str]] = frozenset()

    @abstractmethod
    def filter_of(self, row: RowT) -> tuple[str, str]:
        """Return the field and the value that a row asks for."""

    def show_chosen(self, filters: Iterable[tuple[str, str]]) -> None:
        if self._chosen != (chosen := frozenset(filters)):
            self._chosen = chosen
            self.refresh()

    def is_chosen(self, row: RowT) -> bool:
        return self.filter_of(row) in self._chosen

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Toggled(*self.filter_of(self.rows[event.index])))
