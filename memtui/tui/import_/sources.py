"""What can be imported from a place that is being typed: files and folders, a line each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.tui.setup.offers import notes_in
from store.disk.named import is_there
from store.home import place_typed

_KINDS = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON",
}
_MOST = 2_000
"""Entries of a folder that are looked at."""


class Source(NamedTuple):
    """A file or a folder; `typed` is what stands in the box for it."""

    path: Path
    typed: str
    kind: str


def sources(typed: str, project: Path) -> Iterator[Source]:
    """The place that is typed, then what it could be completed to; notes of the project first."""
    whole = project / place_typed(typed)
    if not typed:
        yield from (Source(project / name, name, "notes") for name in notes_in(project))
    elif is_there(whole):
        yield Source(whole, typed, _kind(whole))
    head, _, piece = typed.rpartition("/")
    folder = project / place_typed(head or ("/" if typed.startswith("/") else ""))
    noted = {project / name for name in notes_in(project)} if not typed else {whole}
    for path in _entries(folder):
        is_meant = path.name.startswith(piece) and (piece or not path.name.startswith("."))
        if is_meant and path not in noted and (kind := _kind(path)):
            slash = "/" if kind == "folder" else ""
            yield Source(path, f"{typed[: len(typed) - len(piece)]}{path.name}{slash}", kind)


def _entries(folder: Path) -> list[Path]:
    found = []
    with suppress(OSError, ValueError), os.scandir(folder) as entries:
        for entry in entries:
            found.append(Path(entry.path))
            if len(found) >= _MOST:
                break
    return sorted(found)


def _kind(path: Path) -> str:
    """What an entry is, in a word; empty for what can't be imported."""
    with suppress(OSError):
        return "folder" if path.is_dir() else _KINDS.get(path.suffix.lower(), "")
    return ""
