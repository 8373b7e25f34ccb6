"""Names and places of the store's files, and which paths are safe to follow."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from store.errors import InvalidObservation, NoMemory

FOLDER = Path(".agentx") / "memory"
"""Where a project keeps its memory, below its root."""


class Shelf(StrEnum):
    """Which of an issue's two places a record stands in."""

    ISSUE = "issue"
    ARCHIVE = "archive"


MANIFEST = "manifest.json"
ACTIVITY = "activity.jsonl"
GATE = ".lock"
ARCHIVE = "archive"
RECALLS = "recalls"
OPERATIONS = "operations"
QUARANTINE = "quarantine"
GITIGNORE = ".gitignore"

GITIGNORE_TEXT = """\
# Written by memtui: the record is meant to be kept in git, what is derived from it is not.
manifest.json
activity.jsonl
recalls/
operations/
quarantine/
.lock
*.lock
.*.tmp
"""

_ISSUE_NAME = re.compile(r"issue-(0|[1-9][0-9]{0,8})(\.recovered)?\.json", re.ASCII)
_ARCHIVE_NAME = re.compile(r"issue-(0|[1-9][0-9]{0,8})-archived\.json", re.ASCII)
_LEFTOVER = re.compile(r"(?:archive/)?(?:\.[\w.-]+\.tmp|[\w.-]+\.json\.lock)", re.ASCII)
_SET_ASIDE = re.compile(r"quarantine/[\w.-]+", re.ASCII)
MAX_ISSUE = 999_999_999
"""The largest issue number: nine digits."""


def check_issue(issue: int) -> int:
    """The issue number, or `InvalidObservation` for anything but 0 or up to nine digits."""
    if isinstance(issue, bool) or not isinstance(issue, int) or not 0 <= issue <= MAX_ISSUE:
        raise InvalidObservation(
            f"{issue!r} is no issue number.", "Use 0 for the project, or a number up to 9 digits."
        )
    return issue


def issue_name(issue: int) -> str:
    """The file name of an issue's record, relative to the store."""
    return f"issue-{check_issue(issue)}.json"


def recovered_name(issue: int) -> str:
    """The file that takes an issue's new observations while its own can't be read."""
    return f"issue-{check_issue(issue)}.recovered.json"


def archive_name(issue: int) -> str:
    """The file of an issue's archived observations, relative to the store."""
    return f"{ARCHIVE}/issue-{check_issue(issue)}-archived.json"


def issue_of(name: str) -> int | None:
    """The issue a record file belongs to, by its name relative to the store; else `None`."""
    match = _ISSUE_NAME.fullmatch(name)
    if match is None and name.startswith(f"{ARCHIVE}/"):
        match = _ARCHIVE_NAME.fullmatch(name.removeprefix(f"{ARCHIVE}/"))
    return int(match[1]) if match else None


def check_movable(name: str) -> str:
    """A name, relative to the store, of a file that a repair may move; a path out of the store,

    or to anything else in it, raises `InvalidObservation`.
    """
    own = issue_of(name) is not None or _LEFTOVER.fullmatch(name) or _SET_ASIDE.fullmatch(name)
    if not own:
        raise InvalidObservation(f"{name!r} is no file that a repair moves.", "")
    return name


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path, its symlinks followed, stays inside the store."""
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def find_store(start: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """The memory folder to open: `MEMTUI_DIR`, else the nearest `.agentx/memory` above `start`.

    `MEMTUI_DIR` may name the memory folder itself or a project that holds one.
    Raises `NoMemory` where there is none.
    """
    chosen = environ.get("MEMTUI_DIR", "")
    if chosen:
        return named_store(Path(chosen))
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    raise NoMemory(
        f"There is no memory at {start} or above it.",
        "Try `memtui demo`, or start one with `memtui add`.",
    )


def named_store(path: Path) -> Path:
    """The memory folder a path names: itself, or the `.agentx/memory` inside it.

    Raises `NoMemory` where the path is no folder, or one of other things: what memory writes beside
    its issues (a manifest, a .gitignore) would take the place of theirs.
    """
    path = path.expanduser().absolute()
    if (path / FOLDER).is_dir():
        return path / FOLDER
    if not path.is_dir():
        why = ": it is not a folder"
    elif path.parts[-2:] == FOLDER.parts or _holds_memory(path):
        return path
    else:
        why = ""
    raise NoMemory(
        f"There is no memory at {path}{why}.", "Name a project or its .agentx/memory folder."
    )


def _holds_memory(folder: Path) -> bool:
    """Whether a folder holds issues, shelved or not, or a log of them, or nothing yet."""
    try:
        names = os.listdir(folder)
        shelved = os.listdir(folder / ARCHIVE) if ARCHIVE in names else []
    except OSError:
        return True  # what can't be looked into is told by whoever reads it
    ours = [*names, *(f"{ARCHIVE}/{name}" for name in shelved)]
    return not names or any(name == ACTIVITY or issue_of(name) is not None for name in ours)
