"""Stamps of issues: what their files were like, to find cheaply which have changed since.

As git's index does: size, times and inode are compared; a file changed so shortly before it was
looked at that a further change could leave its stat the same is compared by its hash instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import starmap
from pathlib import Path

from store.backends.files.layout import list_issues, list_removed
from store.backends.protocol import Changes, Stamps
from store.errors import Unreadable
from store.platform.file_stamp import FRESH_COARSE, FileStamp, is_fresh, stamp_of
from store.platform.read import read_bytes

_FILES = (".json", ".jsonl")


def stamp_of_records(path: Path | str) -> FileStamp | None:
    """Return the stamp of a file of records; of a folder with a file for each memory, one of all
    files.

    That has their sizes together, the latest of their times, and a number for all there is.
    """
    if str(path).endswith(_FILES):
        return stamp_of(path)
    try:
        found = _stats(path)
    except OSError:
        return None
    if not found:
        return None
    digest = blake2b(repr(found).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    _, sizes, mtimes, ctimes, _ = zip(*found, strict=True)
    return FileStamp(sum(sizes), max(mtimes), max(ctimes), int.from_bytes(digest))


def _stats(folder: Path | str) -> list[tuple[str, int, int, int, int]]:
    """Return the names, sizes, times and inodes of a folder's memories. Raises `OSError`."""
    if os.path.islink(folder):
        raise NotADirectoryError
    found = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".json"):
                info = entry.stat(follow_symlinks=False)
                times = info.st_mtime_ns, info.st_ctime_ns
                found.append((entry.name, info.st_size, *times, info.st_ino))
    return found


def changes_since(folder: Path, known: Stamps, now_ns: int | None = None) -> Changes:
    """Return which issues differ from their stamps. Reads stats, and files that were fresh.

    A stamp has of each file of an issue its name, size, times and inode, and its hash where the
    stat alone can't be trusted; the hash is taken before anybody reads the file, so that a change
    while it is read is seen the next time.
    """
    now_ns = time.time_ns() if now_ns is None else now_ns
    stamps: dict[int, str] = {}
    changed: dict[int, tuple[int, int]] = {}
    for issue, files in _files_by_issue(folder).items():
        before = known.get(issue)
        plain = "\n".join(starmap(_line, files.items()))
        if plain == before:  # as nearly all are: a look takes two thirds of the time
            stamps[issue] = plain
        elif before is not None and _is_same(before, files, folder):
            stamps[issue] = _settled(before, files, now_ns)
        else:
            stamps[issue] = _trusted(files, folder, now_ns)
            last = max(stamp.mtime for stamp in files.values())
            changed[issue] = last, sum(stamp.size for stamp in files.values())
    newest = sorted(changed, key=changed.__getitem__, reverse=True)
    sizes = {issue: changed[issue][1] for issue in newest}
    return Changes(frozenset(changed.keys() | (known.keys() - stamps.keys())), stamps, sizes)


def _files_by_issue(folder: Path) -> dict[int, dict[str, FileStamp]]:
    """Return the files of each issue that has records; what was removed from it is part of it."""
    found: dict[int, dict[str, FileStamp]] = {}
    place = str(folder)
    for name, issue in list_issues(folder).items():
        if (stamp := stamp_of_records(f"{place}/{name}")) is not None:
            found.setdefault(issue, {})[name] = stamp
    for name, issue in list_removed(folder).items():
        if issue in found and (stamp := stamp_of(f"{place}/{name}")) is not None:
            found[issue][name] = stamp
    return found


def _line(name: str, stamp: FileStamp) -> str:
    return f"{name} {stamp.size} {stamp.mtime} {stamp.ctime} {stamp.inode}"


def _is_same(known: str, files: Mapping[str, FileStamp], folder: Path) -> bool:
    """The issue's files are those of a stamp; a line of it ends in a hash where needed."""
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


def _settled(known: str, files: Mapping[str, FileStamp], now_ns: int) -> str:
    """Return the stamp of unchanged files, without the hashes of those that are fresh no more: from
    now on their stat shows a change. Else all that was written here would be read at each look.
    """
    lines = ((line, line.split(" ", 1)[0]) for line in known.split("\n"))
    return "\n".join(
        line if is_fresh(files[name], now_ns) else _line(name, files[name]) for line, name in lines
    )


def _trusted(files: Mapping[str, FileStamp], folder: Path, now_ns: int) -> str:
    lines = []
    for name, stamp in files.items():
        line = _line(name, stamp)
        if is_fresh(stamp, now_ns):
            line = f"{line} {_hash(folder / name, folder)}"
        lines.append(line)
    return "\n".join(lines)


def _hash(path: Path, root: Path) -> str:
    try:
        if path.suffix in _FILES:
            return blake2b(read_bytes(path, root), digest_size=16).hexdigest()
        data = b"\0".join(_newest(path))
        return blake2b(data, digest_size=16).hexdigest()
    except (OSError, Unreadable):
        return "unreadable"


def _newest(folder: Path) -> Iterator[bytes]:
    times = {name: max(mtime, ctime) for name, _, mtime, ctime, _ in _stats(folder)}
    limit = max(times.values(), default=0) - FRESH_COARSE
    for name in sorted(name for name, last in times.items() if last >= limit):
        yield name.encode("utf-8", "surrogateescape")
        yield read_bytes(folder / name, folder)
