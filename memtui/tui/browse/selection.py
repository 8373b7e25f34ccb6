"""Which rows of a list are selected: one by one, or as a range from a row to the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Selection:
    """The ids of selected rows, and the row from which a range of them is being selected."""

    def __init__(self) -> None:
        self.ids: frozenset[str] = frozenset()
        self._range_from = ""
        """The id of the first row of the range; empty where none is being selected."""
        self._before_range: frozenset[str] = frozenset()

    @property
    def has_range(self) -> bool:
        return bool(self._range_from)

    def begin_range(self, identifier: str) -> None:
        """Begin a range at a row; what is selected already stays."""
        self._range_from, self._before_range = identifier, self.ids

    def end_range(self) -> None:
        """Leave the range as it is: it no longer follows the cursor."""
        self._range_from = ""

    def follow(self, listed: Sequence[str], cursor: int) -> frozenset[str]:
        """Return the ids once the range goes up to the cursor, among the rows that are listed.

        The range ends where its first row is no longer one of them.
        """
        if self._range_from not in listed:
            self.end_range()
            return self.ids
        first, last = sorted((listed.index(self._range_from), cursor))
        return self._before_range | frozenset(listed[first : last + 1])

    def set(self, ids: Iterable[str], listed: Sequence[str]) -> None:
        """Select these ids, as far as their rows are listed."""
        self.ids = frozenset(ids).intersection(listed)
