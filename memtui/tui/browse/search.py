"""What Browse asks of memory for a query: its first rows, and the counts beside them."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from memtui.tui.browse.results import FIRST, PAGE
from store.model import Facets, SearchResult
from store.search.fields import FACETS

if TYPE_CHECKING:  # what a first frame does without
    from store import Memory

_FOLLOWING: tuple[str, ...] = ("agent", "category", "issue")
"""The counts that follow a query; what tags there are is asked of everything."""


class Request(NamedTuple):
    """A search. `typed` is what the search box has, `text` what is asked: a value that is half
    typed becomes all that it could be. With `keeps_row` the cursor stays on its row.
    """

    typed: str = ""
    text: str = ""
    limit: int = FIRST
    keeps_row: bool = False


class Found(NamedTuple):
    """The first rows of a request; where there are none, how many are `archived`."""

    request: Request
    result: SearchResult
    archived: int = 0


def limit_for(rows: int) -> int:
    """Return how many rows to ask for to have so many: the first ones, and whole pages after."""
    return FIRST + max(0, ceil((rows - FIRST) / PAGE)) * PAGE


def find_rows(memory: Memory, request: Request) -> Found:
    found = memory.search(request.text, request.limit, facets=(), fresh=False)
    archived = 0 if found.total else memory.search("is:archived", 0, facets=(), fresh=False).total
    return Found(request, found, archived)


def count_facets(memory: Memory, text: str, *, everything: bool) -> tuple[Facets, Facets | None]:
    """Return the facets of a query, and of the whole store where `everything` is asked for."""
    kinds = FACETS if everything and not text else _FOLLOWING
    facets = memory.search(text, 0, facets=kinds, fresh=False).facets
    if not everything:
        return facets, None
    return facets, memory.search("", 0, fresh=False).facets if text else facets


def compare(memory: Memory, *, changed: bool) -> bool:
    """Compare memories with the code where either changed; whether a verdict is another one."""
    return memory.drift.is_due(changed=changed) and memory.drift.refresh()
