"""What a database is asked for in parts: the next one comes while this one is worked with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def one_ahead(parts: Iterator[T]) -> Iterator[T]:
    """Some parts in their order, each fetched in another thread once the one before it is here.

    Raises what fetching raises. What was begun is waited for at the end, so that no thread is left.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as other:
        coming = other.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = other.submit(next, parts, None)
            yield part
