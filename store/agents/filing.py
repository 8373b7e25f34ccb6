"""Names under which clients file the sessions of a folder: which folders a name may be for."""

from __future__ import annotations

import os
from pathlib import Path

from store.agents.client import Client, SessionFile
from store.agents.files import dashed
from store.agents.traces import paths_named
from store.platform.links import real_path

_LONGEST = 200
"""Characters after which Claude Code cuts such a name and adds a digest."""
_MOST_LISTED = 3_000
"""Folders that are listed for the folders which fit a name."""


def is_filed_as(client: Client, folder: Path, name: str) -> bool:
    """Return whether a client may file a folder's sessions under a name."""
    places = {folder, real_path(folder)} if name else ()
    return any(_is_same(_name_of(client, place), name) for place in places)


def can_be_above(client: Client, folder: Path, name: str) -> bool:
    """Return whether a name may be that of a folder below this one."""
    return name.startswith(f"{_name_of(client, folder)}-")


def folders_filed_as(client: Client, name: str) -> tuple[Path, ...]:
    """Return the folders there are that a client would file under a name. Links are not followed.

    Only of names that are the path with dashes; of a digest, none can be found.
    """
    if "-" not in _name_of(client, Path("/a/b")):
        return ()
    wanted = name.strip("-")
    found: list[Path] = []
    waiting = [Path("/")]
    listed = 0
    while waiting and listed < _MOST_LISTED:
        listed += 1
        for place in _folders_in(waiting.pop()):
            dashes = dashed(place).lstrip("-")
            if _is_same(_name_of(client, place), name):
                found.append(place)
            if wanted.startswith(dashes.rstrip("-")) or (
                len(dashes) > _LONGEST and wanted.startswith(dashes[:_LONGEST])
            ):
                waiting.append(place)
    return tuple(found)


def folder_by_paths(client: Client, file: SessionFile) -> str:
    """Return the folder that a session is filed under, by the paths it names; empty for none."""
    places = (place for path in paths_named(file) for place in path.parents)
    fitting = (place for place in places if is_filed_as(client, place, file.filed_under))
    return str(next(fitting, ""))


def kept_in(file: SessionFile) -> Path:
    """Return the folder of a client that is named after where a session ran."""
    return next(parent for parent in file.path.parents if parent.name == file.filed_under)


def _name_of(client: Client, folder: Path) -> str:
    return client.filed_as(folder) if client.filed_as is not None else ""


def _is_same(made: str, name: str) -> bool:
    return made == name or (len(made) > _LONGEST and name.startswith(f"{made[:_LONGEST]}-"))


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
