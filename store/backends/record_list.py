"""The records of one place in their order, and what they were when they were read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from store.records import RawRecord


class RecordList:
    """Records to be changed in place; what was read is kept beside them."""

    __slots__ = ("_before", "_records")

    def __init__(self, records: list[RawRecord] | None = None) -> None:
        self._records = [] if records is None else records
        self._before: list[RawRecord] = []

    @property
    def records(self) -> list[RawRecord]:
        """The records one by one, to be changed in place."""
        return self._records

    @records.setter
    def records(self, records: list[RawRecord]) -> None:
        self._records = records

    @property
    def before(self) -> list[RawRecord]:
        """The records as they were read."""
        return self._before

    @property
    def is_whole(self) -> bool:
        """Whether what was read was never taken apart."""
        return False

    @property
    def is_changed(self) -> bool:
        """Whether the records are no longer those that were read."""
        return self._records != self._before

    def values(self) -> list[Any]:
        """The value of each record."""
        return [record.value for record in self.records]

    def counted_places(self) -> Iterable[int]:
        """Where the records stand into which recalls are counted once this is written: all."""
        return range(len(self.records))

    def append(self, record: RawRecord) -> int:
        """Add a record at the end; how many stand before it."""
        self._records.append(record)
        return len(self._records) - 1

    def as_read(self) -> Self:
        """This list, its records being what stood there when it was read."""
        self._before = list(self._records)
        return self
