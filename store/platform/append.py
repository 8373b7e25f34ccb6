"""Appending a line to a file that several programs write."""

from __future__ import annotations

import fcntl
import os
from contextlib import ExitStack, suppress
from pathlib import Path

from store.platform.write import OWN_FILE, refuse_link, write_all, write_error


def append_line(path: Path, line: bytes, root: Path) -> int:
    """Append one line in one write, so that lines of several programs don't mix; the file's size.

    A line that a crash left without its end is closed first; a file that another program sets
    aside meanwhile is let go, and the line goes to the one in its place. Raises `ReadOnly`,
    `WriteFailed`.
    """
    refuse_link(path, root)
    try:
        handle = _open_to_append(path)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = (b"\n" if torn else b"") + line.rstrip(b"\n") + b"\n"
            write_all(handle, data)
            return size + len(data)
        finally:
            os.close(handle)
    except OSError as error:
        raise write_error(path, error) from error


def _open_to_append(path: Path) -> int:
    """A file held so that it is not set aside before it is closed."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        with ExitStack() as opened:
            handle = os.open(path, flags, OWN_FILE)
            opened.callback(os.close, handle)
            with suppress(OSError):  # a disk without locks: the line is only in the file before
                fcntl.flock(handle, fcntl.LOCK_SH)
            if _is_at(path, handle):
                opened.pop_all()
                return handle


def _is_at(path: Path, handle: int) -> bool:
    """Compare an open file with the one at a path: it may have been replaced."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False
