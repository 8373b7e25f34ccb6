"""Names that clients make of folders, to file sessions under, and the folders that they fit."""

from __future__ import annotations

import os
from pathlib import Path

from store.agents.client import Client
from store.agents.files import dashed
from store.platform.links import real_path

_LONGEST = 200
"""Characters after which Claude Code cuts such a name and adds a digest."""
_MOST_LISTED = 3_000
"""Folders that are listed for the folders which fit a name."""


def fits(client: Client, folder: Path, name: str) -> bool:
    """Return whether a client may file a folder's sessions under a name."""
    if client.filed_as is None or not name:
        return False
    return any(_is_called(client.filed_as(place), name) for place in {folder, real_path(folder)})


def _is_called(made: str, name: str) -> bool:
    return made == name or (len(made) > _LONGEST and name.startswith(f"{made[:_LONGEST]}-"))


def folders_filed_as(client: Client, name: str) -> tuple[Path, ...]:
    """The folders there are that a client would file under a name. Links are not followed.

    Only of names that are the path with dashes; of a digest, none can be found.
    """
    assert client.filed_as is not None
    if "-" not in client.filed_as(Path("/a/b")):
        return ()
    wanted = name.strip("-")
    found: list[Path] = []
    waiting = [Path("/")]
    listed = 0
    while waiting and listed < _MOST_LISTED:
        listed += 1
        for place in _folders_in(waiting.pop()):
            said = dashed(place).lstrip("-")
            if _is_called(client.filed_as(place), name):
                found.append(place)
            if wanted.startswith(said.rstrip("-")) or (
                len(said) > _LONGEST and wanted.startswith(said[:_LONGEST])
            ):
                waiting.append(place)
    return tuple(found)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
