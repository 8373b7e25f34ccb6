"""What the clients share in finding their sessions: files with their stamps, and first lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from store.agents.client import SessionFile

_HEAD_BYTES = 65_536
"""Enough for a first line that says where a session runs."""


def files_at(paths: Iterable[Path], client: str) -> Iterator[SessionFile]:
    """The session files at these paths: those that are files, can be read and are not empty."""
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        if path.is_file() and status.st_size:
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            yield SessionFile(path, client, modified, status.st_size)


def dashed(folder: Path) -> str:
    """A folder's path as some clients write it into a file name: `-home-dev-shop`."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(folder))


def files_in(root: Path, patterns: Iterable[str], client: str) -> Iterator[SessionFile]:
    """The session files under a folder by their patterns; none where it is missing."""
    if root.is_dir():
        for pattern in patterns:
            yield from files_at(root.glob(pattern), client)


def ran_in(
    files: Iterable[SessionFile], key: str, folders: tuple[Path, ...]
) -> Iterator[SessionFile]:
    """The files whose sessions ran in one of the folders, by what their first line says of it.

    `key` is the field's name, wherever it stands in the line. All where no folders are named.
    """
    pattern = re.compile(rb'"%s"\s*:\s*("(?:[^"\\]|\\.)*")' % key.encode())
    for file in files:
        folder = _first(file.path, pattern)
        if not folders or (folder and is_within(Path(folder), folders)):
            yield replace(file, folder=folder)


def is_within(folder: Path, folders: tuple[Path, ...]) -> bool:
    """Whether a folder is one of the folders or lies in one."""
    return any(folder == each or folder.is_relative_to(each) for each in folders)


def _first(path: Path, pattern: re.Pattern[bytes]) -> str:
    import orjson

    try:
        with path.open("rb") as lines:
            match = pattern.search(lines.read(_HEAD_BYTES))
    except OSError:
        return ""
    try:
        return str(orjson.loads(match.group(1))) if match else ""
    except orjson.JSONDecodeError:
        return ""


def object_in(path: Path) -> Mapping[str, Any]:
    """The JSON object in a settings file; an empty one where it is missing or none."""
    from store.bounds import load_json

    try:
        found = load_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def toml_in(path: Path) -> Mapping[str, Any]:
    """The TOML table in a settings file; an empty one where it is missing or none."""
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
