"""Names and places of the store's files, and which paths are safe to follow."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from store.errors import InvalidObservation, Unreadable
from store.model import Location, check_issue
from store.platform.lazy_pattern import lazy_pattern

MANIFEST = "manifest.json"
ACTIVITY = "activity.jsonl"
ACTIVITY_PARTS = "activity"
GATE = ".lock"
ARCHIVE = "archive"
RECALLS = "recalls"
SESSIONS = "sessions"
OPERATIONS = "operations"
QUARANTINE = "quarantine"
PENDING = "pending"
REMOVED = "removed"
LAYOUT = "layout.json"
GITIGNORE = ".gitignore"

IGNORE_ALL = b"# Written by memtui: what is kept here stays on this machine.\n*\n"
"""A `.gitignore` for a folder that stays on this machine."""
GITIGNORE_TEXT = """\
# Written by memtui: the record is meant to be kept in git, what is derived from it is not.
manifest.json
activity.jsonl
recalls/
sessions/
checkpoints/
messages/
inbox/
operations/
quarantine/
pending/
.lock
*.lock
.*.tmp
"""

_ISSUE_NAME = re.compile(r"issue-(0|[1-9][0-9]{0,8})(\.recovered)?\.json", re.ASCII)
_ARCHIVE_NAME = lazy_pattern(r"issue-(0|[1-9][0-9]{0,8})-archived\.json", re.ASCII)
_PENDING_NAME = re.compile(r"pending/issue-(0|[1-9][0-9]{0,8})\.json", re.ASCII)
_MEMORIES_NAME = re.compile(r"(?:archive/)?issue-(0|[1-9][0-9]{0,8})", re.ASCII)
_MEMORY_NAME = re.compile(
    r"(?:archive/)?issue-(0|[1-9][0-9]{0,8})/[^./\x00][^/\x00]{0,249}\.json", re.ASCII
)
_LEFTOVER = lazy_pattern(
    r"(?:archive/|activity/|pending/|(?:archive/)?issue-[0-9]{1,9}/)?"
    r"(?:\.[\w.-]{1,255}\.tmp|[\w.-]{1,255}\.json\.lock)",
    re.ASCII,
)
_DIGEST = lazy_pattern(r"sessions/[\w-]+\.json", re.ASCII)
_SET_ASIDE = lazy_pattern(r"quarantine/[\w.-]+", re.ASCII)


def issue_name(issue: int) -> str:
    """Return the file name of an issue's record, relative to the store."""
    return f"issue-{check_issue(issue)}.json"


def recovered_name(issue: int) -> str:
    """Return the file that takes an issue's new observations while its own can't be read."""
    return f"issue-{check_issue(issue)}.recovered.json"


def archive_name(issue: int) -> str:
    """Return the file of an issue's archived observations, relative to the store."""
    return f"{ARCHIVE}/issue-{check_issue(issue)}-archived.json"


def memories_name(issue: int, location: Location = Location.ISSUE) -> str:
    """The folder of an issue's memories where each has a file of its own, relative to the store."""
    name = f"issue-{check_issue(issue)}"
    return name if location is Location.ISSUE else f"{ARCHIVE}/{name}"


def tombstones_name(issue: int) -> str:
    """Return the file of the tombstones of an issue, relative to the store."""
    return f"{REMOVED}/issue-{check_issue(issue)}.jsonl"


def pending_name(issue: int) -> str:
    """Return the file that holds a change to several files of an issue until each is written."""
    return f"{PENDING}/issue-{check_issue(issue)}.json"


def issue_of_folder(name: str) -> int | None:
    """Return the issue whose memories a folder holds, a file each, by its name; else `None`."""
    match = _MEMORIES_NAME.fullmatch(name)
    return int(match[1]) if match else None


def is_memory(name: str) -> bool:
    """Return whether a file, by its name relative to the store, is that of one memory."""
    return _MEMORY_NAME.fullmatch(name) is not None


def is_memory_path(path: str) -> bool:
    """Return whether a path, from wherever it is seen, ends as that of a memory's own file."""
    folder, _, name = path.rpartition("/")
    place = folder.rpartition("/")[2]
    return is_memory(f"{place}/{name}") and name != MANIFEST and issue_of(name) is None


def issue_of(name: str) -> int | None:
    """Return the issue a record file belongs to, by its name relative to the store; else `None`."""
    match = _ISSUE_NAME.fullmatch(name)
    if match is None and name.startswith(f"{ARCHIVE}/"):
        match = _ARCHIVE_NAME.fullmatch(name.removeprefix(f"{ARCHIVE}/"))
    match = match or _MEMORY_NAME.fullmatch(name) or _PENDING_NAME.fullmatch(name)
    return int(match[1]) if match else None


def aside_name(name: str, stamp: str) -> str:
    """Name for a file that is set aside: two memories of one name, active and archived, apart."""
    tail = name.replace("/", "-") if is_memory(name) else name.rpartition("/")[2]
    return f"{QUARANTINE}/{stamp}-{tail.lstrip('.')}"


def check_movable(name: str) -> str:
    """Return a name, relative to the store, of a file that a repair may move; a path out of the
    store, or to anything else in it, raises `InvalidObservation`.
    """
    ours = (_LEFTOVER, _DIGEST, _SET_ASIDE)
    own = name == LAYOUT or issue_of(name) is not None or any(our.fullmatch(name) for our in ours)
    if not own:
        raise InvalidObservation(f"{name!r} is not a file that repairs move.", "")
    return name


def has_memory(folder: Path) -> bool:
    """Return whether a folder holds issues, shelved or not, a log of them, or a memory just begun.

    Another program may be about to write its first issue, or have stopped before it.
    """
    try:
        names = os.listdir(folder)
        shelved = os.listdir(folder / ARCHIVE) if ARCHIVE in names else []
    except OSError:
        return True  # what can't be looked into is reported by whoever reads it
    ours = [*names, *(f"{ARCHIVE}/{name}" for name in shelved)]
    kept = any(name == ACTIVITY or issue_of(name) is not None for name in ours)
    each = LAYOUT in names and any(issue_of_folder(name) is not None for name in ours)
    return kept or each or _is_begun(folder, names)


def _is_begun(folder: Path, names: list[str]) -> bool:
    begun = {GATE, GITIGNORE, *([LAYOUT] if GITIGNORE in names else [])}
    if not names or not all(name in begun or _LEFTOVER.fullmatch(name) for name in names):
        return False
    try:
        written = (folder / GITIGNORE).read_bytes() if GITIGNORE in names else b""
    except OSError:
        return True
    return written.splitlines()[:1] in ([], GITIGNORE_TEXT.encode().splitlines()[:1])


def list_issues(folder: Path) -> dict[str, int]:
    """Return the record files in the store, and the folders of memories that have a file each: the
    name relative to it, and the issue it belongs to. Raises `Unreadable` where a folder can't be
    listed.
    """
    found: dict[str, int] = {}
    for prefix in ("", f"{ARCHIVE}/", f"{PENDING}/"):
        place = folder / prefix
        try:
            names = os.listdir(place)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise Unreadable(
                f"The folder {place} can't be listed: {error.strerror}.", "Check its permissions."
            ) from error
        for name in names:
            issue = issue_of(prefix + name)
            if issue is None and name[-5:] != ".json":
                issue = issue_of_folder(prefix + name)
            if issue is not None:
                found[prefix + name] = issue
    return found


def list_removed(folder: Path) -> dict[str, int]:
    """Return the files of tombstones, and the issue of each."""
    try:
        names = os.listdir(folder / REMOVED)
    except OSError:
        return {}
    issues = ((name, issue_of(name[:-1])) for name in names if name.endswith(".jsonl"))
    return {f"{REMOVED}/{name}": issue for name, issue in issues if issue is not None}


def size_of(folder: Path) -> int:
    """Bytes of all files of a memory, but for hidden ones and the one that names its layout, which
    an empty memory has too.
    """
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            if not name.startswith(".") and name != LAYOUT:
                with suppress(OSError):  # gone meanwhile
                    total += os.lstat(f"{place}/{name}").st_size
    return total
