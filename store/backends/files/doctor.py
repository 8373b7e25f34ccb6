"""Problems with the files of a memory, and the moves that mend them."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from store.backends.files.issue_reader import FileRecords, read_layout
from store.backends.files.layout import (
    ACTIVITY,
    ACTIVITY_PARTS,
    ARCHIVE,
    LAYOUT,
    MANIFEST,
    OPERATIONS,
    PENDING,
    QUARANTINE,
    RECALLS,
    SESSIONS,
    aside_name,
    check_movable,
    issue_name,
    issue_of_folder,
    list_issues,
    recovered_name,
)
from store.backends.files.locks import StoreLock
from store.backends.files.log import SUMMARY, FileLog
from store.backends.files.manifest import read_manifest
from store.backends.files.markers import judge
from store.backends.issue_records import IssueRecords
from store.backends.protocol import Fact
from store.errors import Conflict, Unopened, Unreadable
from store.model import Layout
from store.notice import Notice, notice, quoted
from store.platform.read import read_bytes
from store.platform.write import move_file
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
            # It may be well: only who may read it can know.
            yield Fact("unreadable-file", name, quoted(problem.message))
            continue
        aside = aside_name(name, stamp)
        moves = [(name, aside)]
        repair = notice("move-file", to=aside)
        if name == own and recovered in records.parts:
            moves.append((recovered, own))
            repair = notice("move-and-replace", to=aside, by=recovered)
        yield Fact("unreadable-file", name, quoted(problem.message), repair, tuple(moves))
    if isinstance(records, FileRecords) and records.leaving:
        yield Fact("layout", min(records.leaving), _other_layout(records))
    if own in records.parts and recovered in records.parts:
        yield _recovered(records, own, recovered, f"{QUARANTINE}/{stamp}-{recovered}")


def layout_facts(folder: Path, stamp: str) -> Iterator[Fact]:
    """Yield a file that names no known layout, with its move to quarantine."""
    try:
        read_layout(folder)
    except Unopened as error:
        yield Fact("unreadable-file", LAYOUT, quoted(error.message))
    except Unreadable as error:
        aside = f"{QUARANTINE}/{stamp}-{LAYOUT}"
        repair = notice("move-file", to=aside)
        yield Fact("unreadable-file", LAYOUT, quoted(error.message), repair, ((LAYOUT, aside),))


def _other_layout(records: FileRecords) -> Notice:
    if records.layout is Layout.EACH:
        return notice("layout-one-file", issue=records.issue, layout=str(records.layout))
    return notice("layout-each", issue=records.issue, layout=str(records.layout))


def _recovered(records: IssueRecords, own: str, recovered: str, aside: str) -> Fact:
    known = {record_id(record.value) for record in records.parts[own].records}
    adopt = {}
    for record in records.parts[recovered].records:
        identifier, exact = record_id(record.value), record.exact()
        if identifier is not None and identifier not in known and isinstance(exact, dict):
            adopt[identifier] = exact
    return Fact(
        kind="recovered-file",
        path=recovered,
        notice=notice("recovered", file=recovered, of=own),
        repair=notice("adopt", memories=len(adopt), file=own),
        moves=((recovered, aside),),
        adopt=adopt,
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
            kind, text = left
            aside = f"{QUARANTINE}/{stamp}-{Path(name).name.lstrip('.')}"
            yield Fact(kind, name, text, notice("move-file", to=aside), ((name, aside),))


def digest_facts(folder: Path, stamp: str) -> Iterator[Fact]:
    """Digests of sessions that can't be read, each with its move to quarantine."""
    for name in _names(folder, SESSIONS):
        path = folder / name
        if path.suffix != ".json" or path.name.startswith("."):
            continue
        try:
            json.loads(read_bytes(path, folder))
        except (OSError, Unreadable):
            yield Fact("unreadable-file", name, notice("unopened", file=name))
        except (ValueError, RecursionError):
            aside = f"{QUARANTINE}/{stamp}-{path.name}"
            text, repair = notice("no-digest", file=name), notice("index-again", to=aside)
            yield Fact("unreadable-file", name, text, repair, ((name, aside),))


def _left_behind(folder: Path, name: str, *, writing: bool) -> tuple[str, Notice] | None:
    """Return the kind of what a file was left by, and which; None where it may still be in use."""
    path = folder / name
    if temporary := _temporary(name):
        if _is_left(path, int(temporary["pid"]), writing=writing):
            return "temporary-file", notice("half-written", file=name)
        return None
    marker = judge(path, time.time())
    if marker is None or not marker.breakable or (writing and marker.ours):
        return None
    return "orphaned-lock", notice("left-behind", file=name, holder=str(marker.holder))


def _temporary(name: str) -> re.Match[str] | None:
    return _TEMPORARY.fullmatch(name.rpartition("/")[2])


def _is_left(path: Path, pid: int, *, writing: bool) -> bool:
    try:
        age = time.time() - path.lstat().st_mtime
    except OSError:
        return False
    return age > _OLD_LEFTOVER or not (writing or Path(f"/proc/{pid}").exists())


def _names(folder: Path, place: str) -> list[str]:
    try:
        found = sorted(path.name for path in (folder / place).iterdir())
    except OSError:
        return []
    return [f"{place}/{name}" if place else name for name in found]


def manifest_facts(folder: Path, ids: Iterable[str]) -> Iterator[Fact]:
    """Return whether the manifest lists the observations of the issue files; an id that is
    there twice, as two programs may have given it, is listed once.
    """
    held = set(ids)
    manifest = read_manifest(folder)
    listed = None if manifest is None else manifest.ids
    same = set(listed or ()) == held
    if not (held or listed) or (same and not (manifest and manifest.is_altered)):
        return
    if same:
        message = notice("manifest-altered", file=MANIFEST)
    elif listed is None:
        there = (folder / MANIFEST).exists()
        message = notice("manifest-unreadable" if there else "manifest-missing", file=MANIFEST)
    elif len(listed) == len(held):
        message = notice("manifest-differs", file=MANIFEST, listed=len(listed))
    else:
        message = notice("manifest-behind", file=MANIFEST, listed=len(listed), held=len(held))
    yield Fact("manifest", MANIFEST, message, notice("rebuild-manifest"))


def folder_facts(folder: Path) -> Iterator[Fact]:
    """Report folders that are links, and who may write here and who may not."""
    for name in (ARCHIVE, ACTIVITY_PARTS, OPERATIONS, PENDING, QUARANTINE, RECALLS, SESSIONS):
        if (folder / name).is_symlink():
            yield Fact("unreadable-file", name, notice("link", file=name))
    try:
        if folder.stat().st_mode & stat.S_IWOTH:
            yield Fact("world-writable", "", notice("world-writable"))
        if not os.access(folder, os.W_OK):
            is_disk = _is_read_only(folder)
            message = notice("read-only-disk") if is_disk else notice("no-permission")
            yield Fact("read-only", "", message)
    except OSError:
        return


def log_facts(log: FileLog) -> Iterator[Fact]:
    """Report a damaged summary of the activity log, and a large log."""
    if log.summary().is_damaged:
        yield Fact("activity-log", SUMMARY, notice("summary-unreadable", file=SUMMARY))
    try:
        parts = log.parts()
    except Unreadable:
        return  # reported with capture, which the log is read for
    size = parts[-1].end - parts[0].begin
    if size > _LARGE_LOG:
        begun = log.begun()
        message = notice("log-size", megabytes=round(size / 1e6))
        if begun:
            message = notice("log-size-since", megabytes=round(size / 1e6), day=f"{begun:%Y-%m-%d}")
        yield Fact("log-size", ACTIVITY, message)


def set_aside(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files in quarantine that can be read, each with its bytes."""
    for name in _names(folder, QUARANTINE):
        with suppress(OSError, Unreadable):
            yield name, read_bytes(folder / name, folder)


def _is_read_only(folder: Path) -> bool:
    """Return whether the whole file system is, where the system knows."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def move(folder: Path, source: str, target: str) -> bool:
    """Move a file whole; whether it was to be moved, and not there already.

    Raises `Conflict` where the source is gone or the target exists, `InvalidObservation` for what
    no repair moves, `ReadOnly` and `WriteFailed`.
    """
    path, aside = folder / check_movable(source), folder / check_movable(target)
    gone, is_moved = not os.path.lexists(path), os.path.lexists(aside)
    if gone and is_moved:
        return False
    if gone or is_moved:
        reason = "it is gone" if gone else f"{target} already exists"
        raise Conflict(f"{source} was not moved: {reason}.", "Run `memtui doctor` again.")
    move_file(path, aside, folder)
    return True
