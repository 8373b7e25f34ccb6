"""The records of one place in their order, and what they were when they were read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from store.records import RawRecord


class RecordList:
    """Records to be changed in place; `before` are those that were read."""

    __slots__ = ("before", "records")

    def __init__(self, records: list[RawRecord] | None = None) -> None:
        self.records = [] if records is None else records
        self.before: list[RawRecord] = []

    @property
    def is_changed(self) -> bool:
        """The records differ from those that were read."""
        return self.records != self.before

    def values(self) -> list[Any]:
        """The value of each record."""
        return [record.value for record in self.records]

    def counted_places(self) -> Iterable[int]:
        """Places of records that recalls are counted into once this is written: all."""
        return range(len(self.records))

    def append(self, record: RawRecord) -> int:
        """Add a record at the end; how many are before it."""
        self.records.append(record)
        return len(self.records) - 1

    def as_read(self) -> Self:
        """This list, its records being what was there when it was read."""
        self.before = list(self.records)
        return self
