"""The search of Browse: what is asked of memory, and what comes back."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from memtui.tui.browse.results import FIRST, PAGE
from memtui.tui.memory.pane import ObservationRead, read_observation
from store.errors import StoreError
from store.model import FACETS, FacetKind, Facets, SearchResult

if TYPE_CHECKING:
    from store import Memory

_LARGE = 200_000
"""Memories from which rows are drawn before their facets are counted; below, drawing twice takes
longer than counting."""
_FOLLOWING: tuple[FacetKind, ...] = ("agent", "category", "issue")
"""The counts that follow a query; what tags there are is asked of everything."""


class Request(NamedTuple):
    """What is asked for. `typed` is what stands in the search box, `text` what is asked: a value
    that is half typed stands for all it could become.

    `limit` is of rows. `keeps_row`: the cursor stays on its row. `everything` asks for the facets
    of the whole store too. With `rows_first` facets are counted once the rows are drawn.
    """

    typed: str = ""
    text: str = ""
    limit: int = FIRST
    keeps_row: bool = False
    everything: bool = False
    rows_first: bool = False

    @property
    def facets(self) -> tuple[FacetKind, ...]:
        return FACETS if self.everything and not self.text else _FOLLOWING


class Found(NamedTuple):
    """The first rows of a request, and the observation of the first, at which a list begins.
    Where there are no rows, `archived` is how many the archive has.

    Rows and observation come together because drawing them one after the other costs more.
    """

    request: Request
    result: SearchResult
    first: ObservationRead | None = None
    archived: int = 0


def request_for(
    typed: str, text: str, shown: Found | None, *, rows: int, first: bool, changed: bool, total: int
) -> Request:
    """What is asked for `text`, which `typed` stands for, while the answer `shown` is on screen.

    With `rows`, those that are to be kept, for as many pages as hold them. `first`: no facets are
    known yet. `changed`: memory did. `total` is of memories in the store.
    """
    return Request(
        typed,
        text,
        FIRST + max(0, ceil((rows - FIRST) / PAGE)) * PAGE,
        keeps_row=bool(rows) and shown is not None and shown.request.text == text,
        everything=changed or first,
        rows_first=first or total > _LARGE,
    )


def find_rows(memory: Memory, request: Request) -> Found:
    """The first rows of a request, with its facets where those need not wait."""
    kinds = () if request.rows_first else request.facets
    found = memory.search(request.text, request.limit, facets=kinds, fresh=False)
    archived = 0 if found.total else memory.search("is:archived", 0, facets=(), fresh=False).total
    return Found(request, found, _first(memory, found), archived)


def find_page(memory: Memory, request: Request, offset: int, limit: int) -> SearchResult:
    """More rows of a request."""
    return memory.search(request.text, limit, offset, facets=(), fresh=False)


def count_facets(memory: Memory, found: Found) -> tuple[Facets, Facets | None]:
    """The facets of an answer, and those of the whole store if they were asked for."""
    request, result = found.request, found.result
    if request.rows_first:
        result = memory.search(request.text, 0, facets=request.facets, fresh=False)
    if not request.everything:
        return result.facets, None
    everything = memory.search("", 0, fresh=False) if request.text else result
    return result.facets, everything.facets


def _first(memory: Memory, found: SearchResult) -> ObservationRead | None:
    """The observation of the first row; None where there is none or reading it fails, which is
    said when it is asked for itself: the rows can be shown."""
    try:
        return read_observation(memory, found.hits[0], found) if found.hits else None
    except StoreError:
        return None
