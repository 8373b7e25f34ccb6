"""What can be wrong with the files of a memory, and the moves that mend it."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.backends.files.activity import log_parts
from store.backends.files.activity_summary import SUMMARY, begins, load_summary
from store.backends.files.issue_records import FileRecords, list_issues
from store.backends.files.layout import (
    ACTIVITY,
    ACTIVITY_PARTS,
    ARCHIVE,
    MANIFEST,
    OPERATIONS,
    PENDING,
    QUARANTINE,
    RECALLS,
    SESSIONS,
    check_movable,
    issue_name,
    issue_of_folder,
    recovered_name,
)
from store.backends.files.locks import StoreLock
from store.backends.files.manifest import manifest_ids
from store.backends.files.markers import judge
from store.backends.issue_records import IssueRecords
from store.backends.protocol import Fact
from store.disk import move_file, read_bytes
from store.errors import Conflict, Unreadable
from store.model import Layout
from store.records import record_id

_OLD_LEFTOVER = 3600.0
"""Seconds after which a temporary file can belong to no write that is still going on."""
_LARGE_LOG = 10_000_000
"""Bytes of the log from which its size is worth a line."""
_TEMPORARY = re.compile(r"\..+\.(?P<pid>\d+)-[0-9a-f]{8}\.tmp", re.ASCII)


def issue_facts(records: IssueRecords, stamp: str) -> Iterator[Fact]:
    """Files that can't be read go to quarantine; recovered ones become part of their issue."""
    own, recovered = issue_name(records.issue), recovered_name(records.issue)
    for name in sorted(records.unreadable):
        problem = next(item for item in records.problems if item.path == name)
        if name in records.unopened:
            # It may be well: only who may read it can say.
            yield Fact("unreadable-file", name, problem.message)
            continue
        aside = f"{QUARANTINE}/{stamp}-{Path(name).name}"
        moves = [(name, aside)]
        repair = f"Move the file to {aside}."
        if name == own and recovered in records.parts:
            moves.append((recovered, own))
            repair += f" {recovered} replaces it."
        yield Fact("unreadable-file", name, problem.message, repair, tuple(moves))
    if isinstance(records, FileRecords) and records.leaving:
        yield Fact("layout", min(records.leaving), _other_layout(records))
    if own in records.parts and recovered in records.parts:
        yield _recovered(records, own, recovered, f"{QUARANTINE}/{stamp}-{recovered}")


def _other_layout(records: FileRecords) -> str:
    """What to say of an issue that stands, all or some of it, in another layout than the others."""
    inside = "one file" if records.layout is Layout.EACH else "a file for each memory"
    return (
        f"Issue {records.issue} is in {inside}, unlike the rest of this memory. The next change "
        f"of it, or `memtui layout --{records.layout}`, brings it in line."
    )


def _recovered(records: IssueRecords, own: str, recovered: str, aside: str) -> Fact:
    known = {record_id(record.value) for record in records.parts[own].records}
    adopt = {}
    for record in records.parts[recovered].records:
        identifier, exact = record_id(record.value), record.exact()
        if identifier is not None and identifier not in known and isinstance(exact, dict):
            adopt[identifier] = exact
    count = "1 memory" if len(adopt) == 1 else f"{len(adopt):,} memories"
    return Fact(
        "recovered-file",
        recovered,
        f"{recovered} has memories stored while {own} could not be read.",
        f"Move {count} into {own}.",
        ((recovered, aside),),
        adopt,
    )


def leftovers(folder: Path, stamp: str) -> Iterator[Fact]:
    """Markers and temporary files of programs that ended, each with its move to quarantine."""
    places = ["", ARCHIVE, ACTIVITY_PARTS, PENDING]
    places += [name for name in list_issues(folder) if issue_of_folder(name) is not None]
    names = (name for place in places for name in _names(folder, place))
    found = [name for name in names if name.endswith(".json.lock") or _temporary(name)]
    # Asked after looking: what a write that ended in between had there is gone by now.
    writing = bool(found) and StoreLock(folder).is_held()
    for name in found:
        if left := _left_behind(folder, name, writing=writing):
            kind, message = left
            aside = f"{QUARANTINE}/{stamp}-{Path(name).name.lstrip('.')}"
            yield Fact(kind, name, message, f"Move it to {aside}.", ((name, aside),))


def digest_facts(folder: Path, stamp: str) -> Iterator[Fact]:
    """Digests of sessions that can't be read, each with its move to quarantine."""
    for name in _names(folder, SESSIONS):
        path = folder / name
        if path.suffix != ".json" or path.name.startswith("."):
            continue
        try:
            json.loads(read_bytes(path, folder))
        except (OSError, Unreadable):
            yield Fact("unreadable-file", name, f"{name} can't be opened.")
        except (ValueError, RecursionError):
            aside = f"{QUARANTINE}/{stamp}-{path.name}"
            message = f"{name} is no JSON, so no digest of a session."
            repair = f"Set the file aside as {aside}; `memtui sessions index` reads it again."
            yield Fact("unreadable-file", name, message, repair, ((name, aside),))


def _left_behind(folder: Path, name: str, *, writing: bool) -> tuple[str, str] | None:
    """The kind of what a file was left by, and a sentence; None where it may still be in use."""
    path = folder / name
    if temporary := _temporary(name):
        if _is_left(path, int(temporary["pid"]), writing=writing):
            return "temporary-file", f"{name} was left by an interrupted write."
        return None
    marker = judge(path, time.time())
    if marker is None or not marker.breakable or (writing and marker.ours):
        return None
    return "orphaned-lock", f"{name} was left behind by {marker.holder}."


def _temporary(name: str) -> re.Match[str] | None:
    return _TEMPORARY.fullmatch(name.rpartition("/")[2])


def _is_left(path: Path, pid: int, *, writing: bool) -> bool:
    try:
        age = time.time() - path.lstat().st_mtime
    except OSError:
        return False
    return age > _OLD_LEFTOVER or not (writing or Path(f"/proc/{pid}").exists())


def _names(folder: Path, place: str) -> list[str]:
    """The names of what lies in a folder of memory, from the memory's own."""
    try:
        found = sorted(path.name for path in (folder / place).iterdir())
    except OSError:
        return []
    return [f"{place}/{name}" if place else name for name in found]


def manifest_facts(folder: Path, ids: Iterable[str]) -> Iterator[Fact]:
    """Whether the manifest lists the observations of the issue files."""
    held = Counter(ids)
    listed = manifest_ids(folder)
    if Counter(listed or ()) == held or not (held or listed):
        return
    if listed is None:
        state = "can't be read" if (folder / MANIFEST).exists() else "is missing"
        message = f"{MANIFEST} {state}; AgentX needs it."
    else:
        count = held.total()
        others = "others" if len(listed) == count else f"{count:,}"
        message = f"{MANIFEST} lists {len(listed):,} memories; the issue files have {others}."
    yield Fact("manifest", MANIFEST, message, "Rebuild it from the issue files.")


def folder_facts(folder: Path) -> Iterator[Fact]:
    """Which of its folders is a link; who may write here, and who may not."""
    for name in (ARCHIVE, ACTIVITY_PARTS, OPERATIONS, QUARANTINE, RECALLS, SESSIONS):
        if (folder / name).is_symlink():
            message = f"{name} is a symbolic link, which is not followed."
            yield Fact("unreadable-file", name, message)
    try:
        if folder.stat().st_mode & stat.S_IWOTH:
            message = "Everyone on this machine can write to the memory folder."
            yield Fact("world-writable", "", message)
        if not os.access(folder, os.W_OK):
            because = "disk is read-only" if _is_read_only(folder) else "permissions forbid it"
            yield Fact("read-only", "", f"Nothing can be stored: the {because}.")
    except OSError:
        return


def log_facts(folder: Path) -> Iterator[Fact]:
    """What is wrong with what was set aside of the activity log, and how large the log is."""
    summary = load_summary(folder)
    if summary.is_damaged:
        message = (
            f"{SUMMARY} can't be read. It is built anew from the log; how often memories were "
            "recalled before the log begins is known only as far as their records count it."
        )
        yield Fact("activity-log", SUMMARY, message)
    try:
        parts = log_parts(folder)
    except Unreadable:
        return  # said of capture, which the log tells of
    size = parts[-1].end - parts[0].begin
    if size > _LARGE_LOG:
        since = f", and begins on {begun:%Y-%m-%d}" if (begun := begins(folder)) else ""
        yield Fact("log-size", ACTIVITY, f"The activity log takes {size / 1e6:,.0f} MB{since}.")


def _is_read_only(folder: Path) -> bool:
    """Whether the whole file system is; not every system tells."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def move(folder: Path, source: str, target: str) -> bool:
    """Move a file whole; whether it was to be moved, and not there already.

    Raises `Conflict` where the source is gone or the target stands, `InvalidObservation` for what
    no repair moves, `ReadOnly` and `WriteFailed`.
    """
    path, aside = folder / check_movable(source), folder / check_movable(target)
    gone, stands = not os.path.lexists(path), os.path.lexists(aside)
    if gone and stands:
        return False
    if gone or stands:
        reason = "it is gone" if gone else f"{target} already exists"
        raise Conflict(f"{source} was not moved: {reason}.", "Run `memtui doctor` again.")
    move_file(path, aside, folder)
    return True
