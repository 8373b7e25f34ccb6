"""What the index saw last of each file, to tell cheaply which have changed since.

As git's index does: size, times and inode are compared; a file changed so shortly before it was
looked at that a further change could leave its stat the same is compared by its hash instead.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from store.backends.files.issue_records import list_issues
from store.disk import read_bytes, replace_derived
from store.errors import Unreadable
from store.model import Problem

_FRESH = 50_000_000
"""Nanoseconds within which a change may leave the same stat, where times have their full grain."""
_FRESH_COARSE = 2_000_000_000
"""The same where the file system keeps whole seconds."""
FORMAT = 3
_SEGMENT = re.compile(r"[0-9a-f]{32}\.[\w.]+", re.ASCII)


class Stamp(NamedTuple):
    """A file as it was seen: size in bytes, times in nanoseconds, inode.

    `fresh` holds the content's hash where the stat alone can't be trusted.
    """

    size: int
    mtime: int
    ctime: int
    inode: int
    fresh: str = ""

    def same_stat(self, other: Stamp) -> bool:
        """Whether two stamps agree on everything but the hash."""
        return self[:4] == other[:4]


@dataclass(slots=True)
class Seen:
    """All that an index knows of the store it was built from, and of its own files.

    `segments` are those of tantivy's files that are never changed once they are written.
    """

    files: dict[str, Stamp] = field(default_factory=dict)
    log_offset: int = 0
    problems: dict[int, list[Problem]] = field(default_factory=dict)
    segments: dict[str, Stamp] = field(default_factory=dict)

    def all_problems(self) -> tuple[Problem, ...]:
        """The problems of every issue, in order."""
        return tuple(problem for issue in sorted(self.problems) for problem in self.problems[issue])


def stamp_of(path: Path | str) -> Stamp | None:
    """A file's stamp, without a hash; `None` where there is no such file."""
    try:
        info = os.stat(path)
    except OSError:
        try:
            info = os.lstat(path)
        except OSError:
            return None
    return Stamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def stamps_of(folder: Path) -> dict[str, Stamp]:
    """The stamps of all record files of a store, by name relative to it."""
    stamps = ((name, stamp_of(f"{folder}/{name}")) for name in list_issues(folder))
    return {name: stamp for name, stamp in stamps if stamp is not None}


def with_hash(name: str, stamp: Stamp, root: Path, now_ns: int | None = None) -> Stamp:
    """The stamp, with the content's hash where it is too fresh to be trusted."""
    now_ns = time.time_ns() if now_ns is None else now_ns
    grain = _FRESH_COARSE if stamp.mtime % 1_000_000_000 == 0 else _FRESH
    if max(stamp.mtime, stamp.ctime) < now_ns - grain:
        return stamp
    return Stamp(stamp.size, stamp.mtime, stamp.ctime, stamp.inode, _hash(root / name, root))


def is_changed(name: str, known: Stamp | None, current: Stamp, root: Path) -> bool:
    """Whether a file is another than the one known."""
    if known == current:
        return False
    if known is None or not known.same_stat(current):
        return True
    return bool(known.fresh) and known.fresh != _hash(root / name, root)


def _hash(path: Path, root: Path) -> str:
    try:
        return blake2b(read_bytes(path, root), digest_size=16).hexdigest()
    except (OSError, Unreadable):
        return "unreadable"


def segments_of(index: Path, known: Mapping[str, Stamp]) -> dict[str, Stamp]:
    """The stamps of an index's own files; one that is known keeps the stamp it was given first."""
    names = [path.name for path in index.iterdir() if _SEGMENT.fullmatch(path.name)]
    stamps = ((name, known.get(name) or stamp_of(index / name)) for name in names)
    return {name: stamp for name, stamp in stamps if stamp is not None}


def is_intact(index: Path, known: Mapping[str, Stamp]) -> bool:
    """Whether those of an index's own files that are known and still there are unchanged.

    One that is gone was merged into another, or is missed by tantivy itself.
    """
    stamps = ((stamp, stamp_of(index / name)) for name, stamp in known.items())
    return all(now is None or now.same_stat(stamp) for stamp, now in stamps)


def load_seen(path: Path, identity: Mapping[str, Any]) -> Seen | None:
    """What an index saw last; `None` where the file is missing, damaged or another's."""
    try:
        value = json.loads(path.read_bytes())
        if value["identity"] != dict(identity) or value["format"] != FORMAT:
            return None
        return Seen(
            files={name: Stamp(*stamp) for name, stamp in value["files"].items()},
            log_offset=int(value["logOffset"]),
            problems={
                int(issue): [Problem(*problem) for problem in problems]
                for issue, problems in value["problems"].items()
            },
            segments={name: Stamp(*stamp) for name, stamp in value["segments"].items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def save_seen(path: Path, seen: Seen, identity: Mapping[str, Any]) -> None:
    """Keep what the index saw. Raises `StoreError` where it can't be written."""

    def plain(stamp: Stamp) -> list[int | str]:
        return [stamp.size, stamp.mtime, stamp.ctime, stamp.inode, stamp.fresh]

    value = {
        "format": FORMAT,
        "identity": dict(identity),
        "files": {name: plain(stamp) for name, stamp in seen.files.items()},
        "logOffset": seen.log_offset,
        "problems": {
            str(issue): [list(problem) for problem in problems]
            for issue, problems in seen.problems.items()
            if problems
        },
        "segments": {name: plain(stamp) for name, stamp in seen.segments.items()},
    }
    replace_derived(path, json.dumps(value, separators=(",", ":")).encode(), path.parent)
