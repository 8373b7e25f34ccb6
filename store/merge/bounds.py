"""Bounds of what is merged, so that no file costs more than it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from store.errors import Unreadable
from store.platform.bounds import excess_of
from store.records import RawRecord

MAX_VERSIONS = 50
"""Versions of one memory in one file: joining them compares each with all others."""
_KEPT = "It is kept unchanged."


def bounded(record: RawRecord) -> dict[str, Any]:
    """The exact value of a record that is to be joined. Raises `Unreadable` for what is beyond."""
    value: dict[str, Any] = record.exact()
    check_bounds(value)
    return value


def check_bounds(*values: Mapping[str, Any]) -> None:
    """Raise `Unreadable` where a record, or the other keys of a file, has too much in it."""
    for value in values:
        if excess := excess_of(dict(value)):
            raise Unreadable(f"A record can't be merged: {excess}.", _KEPT)


def check_versions(identifiers: Iterable[Hashable]) -> None:
    """Raise `Unreadable` where one memory is there more often than versions are joined."""
    ((_, most),) = Counter(identifiers).most_common(1) or [(None, 0)]
    if most > MAX_VERSIONS:
        raise Unreadable(f"One memory appears {most:,} times; that can't be merged.", _KEPT)
