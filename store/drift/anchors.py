"""The anchor of a memory: what the files that it names held when it was made.

A key of its record, `anchor`: by each file's path a list of digests, first that of the file, then
those of the pieces that the memory cites. The text in the working tree counts, committed or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard

from store.drift.citations import citations_in, names_of
from store.drift.kept import ANCHOR
from store.drift.pieces import digest_of, pieces_of
from store.errors import StoreError
from store.model import Observation
from store.platform.bounds import read_regular
from store.platform.json_fields import mapping

_ABSENT = ""
"""The key of an anchor, in place of a path, for what is known to be gone: of a memory that was
confirmed since."""
_CLOCKS = 5.0
"""Seconds by which the clocks of a session and of the files may differ."""
MOST_BYTES = 1_000_000
"""The largest file that is read."""


class Mark(NamedTuple):
    """The digest of a file, and those of its pieces that a memory cites."""

    digest: str
    pieces: tuple[str, ...] = ()


def anchor_of(observation: Observation) -> Mapping[str, Mark]:
    """Return what a memory's files held when it was made, as far as its record has that."""
    return {
        path: Mark(marks[0], tuple(marks[1:]))
        for path, marks in mapping(observation.extra.get(ANCHOR)).items()
        if path and marks and _are_texts(marks)
    }


def absent_of(observation: Observation) -> Sequence[str] | None:
    """Return what a memory names that is known to be gone; None where nobody confirmed it since."""
    absent = mapping(observation.extra.get(ANCHOR)).get(_ABSENT)
    return absent if _are_texts(absent) else None


def _are_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def anchored(
    observation: Observation,
    root: Path,
    origin: Mapping[str, str] = MappingProxyType({}),
    *,
    absent: Sequence[str] | None = None,
    seen: datetime | None = None,
) -> Observation:
    """Return a memory with the anchor of the working tree at `root` as it is now, and with its
    branch and commit where `origin` has them. Who confirms it names what is `absent`; files that
    were written after they were `seen` count as not known.
    """
    return with_anchor(observation, marks_of(observation.content, root, seen), origin, absent)


def with_anchor(
    observation: Observation,
    marks: Mapping[str, Mark],
    origin: Mapping[str, str],
    absent: Sequence[str] | None,
) -> Observation:
    """Return a memory with these marks of its files, and what is known to be `absent`."""
    anchor: dict[str, list[str]] = {} if absent is None else {_ABSENT: [*absent]}
    for path, mark in marks.items():
        anchor[path] = [mark.digest, *mark.pieces]
    extra: dict[str, Any] = {**observation.extra, **origin, ANCHOR: anchor}
    if not anchor:
        del extra[ANCHOR]
    return observation._replace(extra=extra)


def marks_of(content: str, root: Path, seen: datetime | None = None) -> Mapping[str, Mark]:
    """Return what the files that a text names hold now, unless they were written since `seen`."""
    names = names_of(content)
    marks = {}
    for path, lines, _ in citations_in(content):
        is_as_seen = seen is None or _written(root / path) <= seen.timestamp() + _CLOCKS
        if is_as_seen and (text := read_text(root, path)) is not None:
            marks[path] = Mark(digest_of(text), pieces_of(text, lines, names))
    return marks


def _written(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except (OSError, ValueError):
        return 0.0


def read_text(root: Path, path: str) -> str | None:
    """Return the text of a file of the tree; None where it is none, or too large."""
    try:
        return read_regular(root / path, MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError, StoreError):
        return None
