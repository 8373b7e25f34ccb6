"""The search of Browse: what is asked for, and what the rows on the screen answer."""

from __future__ import annotations

from math import ceil

from memtui.tui.browse.results import FIRST, PAGE
from memtui.tui.worker import Request, RowsFound
from store.model import SearchResult

_LARGE = 200_000
"""Memories from which rows are drawn before their facets are counted; below, drawing twice takes
longer than counting."""


class Search:
    """Numbers its requests, so that late answers are told apart."""

    def __init__(self) -> None:
        self.request = Request(0, "", "", FIRST)
        self.shown: Request | None = None
        self.result: SearchResult | None = None
        self.keeps_row = False
        """Whether the answer keeps the row under the cursor."""

    def begin(
        self, typed: str, text: str, *, rows: int, first: bool, changed: bool, total: int
    ) -> Request:
        """Ask for the first rows of `text`, which `typed` stands for.

        With `rows`, those that are to be kept, for as many pages as hold them. `first`: no facets
        are known yet. `changed`: memory did. `total` is of memories in the store.
        """
        self.keeps_row = bool(rows) and self.shown is not None and self.shown.text == text
        self.request = Request(
            self.request.number + 1,
            typed,
            text,
            FIRST + max(0, ceil((rows - FIRST) / PAGE)) * PAGE,
            everything=changed or first,
            rows_first=first or total > _LARGE,
        )
        return self.request

    def page(self, offset: int) -> Request:
        """The next page of what is asked for."""
        return self.request._replace(limit=PAGE, offset=offset)

    def is_asked(self, request: Request) -> bool:
        """Whether an answer to this is still wanted."""
        return request.number == self.request.number

    def answer(self, event: RowsFound) -> None:
        """The first rows are there."""
        self.shown, self.result = event.request, event.result

    def shows(self, typed: str) -> bool:
        """Whether the rows on the screen answer what is typed."""
        return self.shown is not None and self.shown.typed == typed
