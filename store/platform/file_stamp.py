"""What a file was like when it was seen, to find cheaply whether it has changed since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_FRESH = 50_000_000
"""Nanoseconds within which a change may leave the same stat, where times have their full grain."""
FRESH_COARSE = 2_000_000_000
"""The same where the file system keeps whole seconds."""


class FileStamp(NamedTuple):
    """A file's size in bytes, its times in nanoseconds, and its inode."""

    size: int
    mtime: int
    ctime: int
    inode: int


def stamp_of(path: Path | str) -> FileStamp | None:
    """Return a file's stamp; that of a link that leads nowhere; `None` where there is neither."""
    try:
        info = os.stat(path)
    except OSError:
        try:
            info = os.lstat(path)
        except OSError:
            return None
    return FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def is_fresh(stamp: FileStamp, now_ns: int) -> bool:
    """Check for a change so recent that another one may leave the same stamp."""
    grain = FRESH_COARSE if stamp.mtime % 1_000_000_000 == 0 else _FRESH
    return max(stamp.mtime, stamp.ctime) >= now_ns - grain
