"""A range of rows that grows and shrinks with the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Range(NamedTuple):
    """Where a range began, by id, and what was selected before."""

    begun: str
    before: frozenset[str]

    def to(self, ids: Sequence[str], cursor: int) -> frozenset[str] | None:
        """What is selected with the cursor there; None where its beginning is gone."""
        if self.begun not in ids:
            return None
        first, last = sorted((ids.index(self.begun), cursor))
        return self.before | frozenset(ids[first : last + 1])
