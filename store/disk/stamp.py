"""A file as it was seen, to tell cheaply whether it is another one now."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


class FileStamp(NamedTuple):
    """A file's size in bytes, its times in nanoseconds, and its inode."""

    size: int
    mtime: int
    ctime: int
    inode: int


def stamp_of(path: Path | str) -> FileStamp | None:
    """A file's stamp; that of a link that leads nowhere; `None` where there is neither."""
    try:
        info = os.stat(path)
    except OSError:
        try:
            info = os.lstat(path)
        except OSError:
            return None
    return FileStamp(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
