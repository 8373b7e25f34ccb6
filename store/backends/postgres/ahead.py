"""What a database is asked for in parts: the next ones come while this one is worked with."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

_DEPTH = 8
"""Parts that are fetched ahead: while so many are indexed, in 0.3 s, an issue of 30,000 comes."""
_PART = 1_000_000
"""Bytes of memories from which a part is full."""
_FIRST = 60_000
"""Bytes of the first part, which is waited for; each is twice as large as the one before it."""


def in_parts(issues: Sequence[int], sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """Issues in their order, to a megabyte of them together, fewer at first; a larger one alone."""
    part: list[int] = []
    held, most = 0, min(_FIRST, _PART)
    for issue in issues:
        size = sizes.get(issue, 0)
        if part and held + size > most:
            yield part
            part, held, most = [], 0, min(2 * most, _PART)
        part.append(issue)
        held += size
    if part:
        yield part


def ahead(parts: Iterator[T]) -> Iterator[T]:
    """Some parts in their order, each fetched in another thread before it is asked for.

    Raises what fetching raises, in its place. What was begun is waited for at the end, so that no
    thread is left.
    """
    from concurrent.futures import ThreadPoolExecutor

    other = ThreadPoolExecutor(1)
    try:
        coming = deque(other.submit(next, parts, None) for _ in range(_DEPTH))
        while (part := coming.popleft().result()) is not None:
            coming.append(other.submit(next, parts, None))
            yield part
    finally:
        other.shutdown(cancel_futures=True)
