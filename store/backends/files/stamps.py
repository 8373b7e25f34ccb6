"""Stamps of issues: what their files were like, to tell cheaply which have changed since.

As git's index does: size, times and inode are compared; a file changed so shortly before it was
looked at that a further change could leave its stat the same is compared by its hash instead.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from store.backends.files.issue_records import list_issues
from store.backends.protocol import Changes, Stamps
from store.disk import read_bytes
from store.errors import Unreadable
from store.file_stamp import FileStamp, stamp_of

_FRESH = 50_000_000
"""Nanoseconds within which a change may leave the same stat, where times have their full grain."""
_FRESH_COARSE = 2_000_000_000
"""The same where the file system keeps whole seconds."""


def changes_since(folder: Path, known: Stamps, now_ns: int | None = None) -> Changes:
    """Which issues differ from their stamps. Reads stats, and files that were fresh.

    A stamp says of each file of an issue its name, size, times and inode, and its hash where the
    stat alone can't be trusted; the hash is taken before anybody reads the file, so that a change
    while it is read is seen the next time.
    """
    now_ns = time.time_ns() if now_ns is None else now_ns
    stamps: dict[int, str] = {}
    changed: dict[int, tuple[int, int]] = {}
    for issue, files in _files_by_issue(folder).items():
        before = known.get(issue)
        if before is not None and _is_same(before, files, folder):
            stamps[issue] = before
        else:
            stamps[issue] = _trusted(files, folder, now_ns)
            last = max(stamp.mtime for stamp in files.values())
            changed[issue] = last, sum(stamp.size for stamp in files.values())
    newest = sorted(changed, key=changed.__getitem__, reverse=True)
    sizes = {issue: changed[issue][1] for issue in newest}
    return Changes(frozenset(changed.keys() | (known.keys() - stamps.keys())), stamps, sizes)


def _files_by_issue(folder: Path) -> dict[int, dict[str, FileStamp]]:
    found: dict[int, dict[str, FileStamp]] = {}
    for name, issue in list_issues(folder).items():
        stamp = stamp_of(f"{folder}/{name}")
        if stamp is not None:
            found.setdefault(issue, {})[name] = stamp
    return found


def _line(name: str, stamp: FileStamp) -> str:
    return f"{name} {stamp.size} {stamp.mtime} {stamp.ctime} {stamp.inode}"


def _is_same(known: str, files: Mapping[str, FileStamp], folder: Path) -> bool:
    """Whether an issue's files are those of a stamp; a line of it ends in a hash where needed."""
    lines = known.split("\n")
    if len(lines) != len(files):
        return False
    for line in lines:
        name, *_ = line.split(" ", 1)
        stamp = files.get(name)
        if stamp is None:
            return False
        plain = _line(name, stamp)
        if line != plain:
            head, _, trusted = line.rpartition(" ")
            if head != plain or trusted != _hash(folder / name, folder):
                return False
    return True


def _trusted(files: Mapping[str, FileStamp], folder: Path, now_ns: int) -> str:
    """The stamp of an issue's files, with hashes of those that are too fresh to be trusted."""
    lines = []
    for name, stamp in files.items():
        grain = _FRESH_COARSE if stamp.mtime % 1_000_000_000 == 0 else _FRESH
        line = _line(name, stamp)
        if max(stamp.mtime, stamp.ctime) >= now_ns - grain:
            line = f"{line} {_hash(folder / name, folder)}"
        lines.append(line)
    return "\n".join(lines)


def _hash(path: Path, root: Path) -> str:
    try:
        return blake2b(read_bytes(path, root), digest_size=16).hexdigest()
    except (OSError, Unreadable):
        return "unreadable"
