"""What is wrong with the folder as a whole: leftovers, permissions, size, log and git."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from store.activity import describe_capture, read_log
from store.backends.files.layout import ACTIVITY, ARCHIVE, MANIFEST, OPERATIONS, QUARANTINE, RECALLS
from store.backends.files.locks import judge
from store.backends.files.totals import size_on_disk
from store.doctor.findings import Finding, Kind
from store.errors import Unreadable
from store.git import describe_git
from store.git_setup import git_status
from store.operations.plan import Move

_OFFER = "git merges this memory line by line; `memtui git install` has it merged by memory."
_LEAVE = "`git rm --cached` leaves it out."
MANY = 40_000
"""Observations from which compaction is advised (SPEC-29 §12.3)."""
LARGE = 40_000_000
"""Bytes from which compaction is advised (SPEC-29 §12.3)."""
_OLD_LEFTOVER = 3600.0
"""Seconds after which a temporary file can belong to no write that is still going on."""
_TEMPORARY = re.compile(r"\..+\.(?P<pid>\d+)-[0-9a-f]{8}\.tmp", re.ASCII)


def leftovers(folder: Path, now: datetime) -> Iterator[tuple[Finding, Move]]:
    """Markers and temporary files of programs that ended, each with its move to quarantine."""
    stamp = f"{now:%Y%m%dT%H%M%S}"
    for prefix, place in (("", folder), (f"{ARCHIVE}/", folder / ARCHIVE)):
        for path in _entries(place):
            name = prefix + path.name
            aside = f"{QUARANTINE}/{stamp}-{path.name.lstrip('.')}"
            if path.name.endswith(".json.lock"):
                marker = judge(path, time.time())
                if marker is not None and marker.breakable:
                    message = f"{name} was left behind by {marker.holder}."
                    yield (
                        Finding(Kind.LOCK, name, message, f"Move it to {aside}."),
                        Move(name, aside),
                    )
            elif (match := _TEMPORARY.fullmatch(path.name)) and _is_left(path, int(match["pid"])):
                message = f"{name} is what a write left that never ended."
                yield (
                    Finding(Kind.TEMPORARY, name, message, f"Move it to {aside}."),
                    Move(name, aside),
                )


def _is_left(path: Path, pid: int) -> bool:
    try:
        age = time.time() - path.lstat().st_mtime
    except OSError:
        return False
    return age > _OLD_LEFTOVER or not Path(f"/proc/{pid}").exists()


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def capture_findings(folder: Path, now: datetime) -> Iterator[Finding]:
    """How the last captures went, by the log."""
    try:
        health = read_log(folder, 0).capture
    except Unreadable as error:
        yield Finding(Kind.UNREADABLE, ACTIVITY, error.message)
        return
    if said := describe_capture(health, now):
        failing = health.failing_since is not None
        kind = Kind.CAPTURE if failing else Kind.CAPTURED
        yield Finding(kind, ACTIVITY, f"{said} {health.message}".strip() if failing else said)


def folder_findings(folder: Path, count: int) -> Iterator[Finding]:
    """Which of its folders is a link; who may write here, and who may not; whether it grew

    large; whether git keeps it.
    """
    for name in (ARCHIVE, OPERATIONS, QUARANTINE, RECALLS):
        if (folder / name).is_symlink():
            message = f"{name} is a link; memory is read and written through none."
            yield Finding(Kind.UNREADABLE, name, message)
    try:
        if folder.stat().st_mode & stat.S_IWOTH:
            yield Finding(
                Kind.PERMISSIONS,
                "",
                "Everyone on this machine may write into the memory folder.",
            )
        if not os.access(folder, os.W_OK):
            because = "disk is read-only" if _is_read_only(folder) else "permissions forbid it"
            yield Finding(
                Kind.READ_ONLY,
                "",
                f"Nothing can be stored here: the memory's {because}.",
            )
    except OSError:
        return
    size = size_on_disk(folder)
    if count > MANY or size > LARGE:
        yield Finding(
            Kind.LARGE,
            "",
            f"Memory holds {count:,} observations in {size / 1e6:,.0f} MB; compaction would help.",
        )
    if (git := describe_git(folder)) is not None:
        yield Finding(Kind.GIT, "", git)
        status = git_status(folder)
        if status.is_offered:
            yield Finding(Kind.GIT, "", _OFFER)
        if status.tracks_manifest:
            yield Finding(Kind.GIT, MANIFEST, f"git tracks {MANIFEST}, which is derived. {_LEAVE}")


def _is_read_only(folder: Path) -> bool:
    """Whether the whole file system is; not every system tells."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
