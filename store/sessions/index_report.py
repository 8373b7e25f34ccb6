"""The report of indexing sessions."""

from __future__ import annotations

from typing import NamedTuple


class IndexReport(NamedTuple):
    """The result of indexing sessions.

    `taken` were read and kept, `known` had not changed since, `left` could not be read: each with
    a sentence. `unfinished`: it was stopped before the end.
    """

    taken: int = 0
    known: int = 0
    left: tuple[str, ...] = ()
    unfinished: bool = False
