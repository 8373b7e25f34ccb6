"""Giving memory out: the observations that a list names, as text in a format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from store.disk.issue_records import read_issue
from store.errors import InvalidObservation
from store.exchange.json_lines import to_json_lines
from store.exchange.memory_bank_text import to_markdown_bank
from store.exchange.values import Format
from store.model import IndexEntry, Observation

_WRITERS = {Format.JSON_LINES: to_json_lines, Format.MARKDOWN: to_markdown_bank}


def to_text(observations: Iterable[Observation], format_name: str) -> str:
    """Observations in a format that is one text. Raises `InvalidObservation` for another one."""
    writer = next((write for kind, write in _WRITERS.items() if kind == format_name), None)
    if writer is None:
        raise InvalidObservation(
            f"{format_name!r} is no format that can be written as one text.",
            f"One of: {', '.join(_WRITERS)}; a store of its own is written to a folder.",
        )
    return writer(observations)


def listed(folder: Path, entries: Iterable[IndexEntry]) -> list[Observation]:
    """The whole observations of a list, read from the files, oldest first."""
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for entry in entries:
        wanted[entry.issue_number].add(entry.id)
    found = [
        held.observation
        for issue, ids in wanted.items()
        for held in read_issue(folder, issue).held()
        if held.observation is not None and held.observation.id in ids
    ]
    return sorted(found, key=lambda item: (item.timestamp, item.id))
