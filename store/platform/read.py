"""Reading a file of memory with care: a regular one, behind no link, within bounds."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from store.errors import Unopened, Unreadable
from store.platform.bounds import MAX_BYTES
from store.platform.links import link_on_way, link_refused


def read_bytes(path: Path, root: Path | None, *, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of the store.

    Without a root nothing is asked of the folders on the way: who reads many files of one folder
    has looked at it.

    Raises `FileNotFoundError` where there is none, and `Unreadable` for anything that is no
    regular file, is a link or is behind one, can't be opened, or has more bytes than `most`.
    """
    handle = open_to_read(path, root)
    try:
        info = os.fstat(handle)
        if info.st_size > most:
            raise Unreadable(
                f"{path.name} has {info.st_size / 1e6:,.0f} MB, too large for a record.",
                "Move it out of the folder.",
            )
        chunks = []
        # In one piece where it is as large as its stat: what is joined is copied.
        while chunk := os.read(handle, max(1 << 20, info.st_size + 1)):
            chunks.append(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise Unopened(f"{path.name} can't be read: {error.strerror}.") from error
    finally:
        os.close(handle)


def read_if_there(path: Path, root: Path) -> bytes | None:
    """Return the content of a file, None where there is none. Raises `Unreadable`."""
    try:
        return read_bytes(path, root)
    except FileNotFoundError:
        return None


def open_to_read(path: Path, root: Path | None) -> int:
    """Return a regular file of the store, opened. Raises as `read_bytes`.

    What is behind a link may be well: that it was not opened is all that is known of it.
    """
    try:
        if root is not None and (link := link_on_way(path, root)):
            if not os.path.lexists(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
            raise (Unreadable if link == path else Unopened)(*link_refused(link))
        # Opening a FIFO would wait for a writer: O_NONBLOCK does not, and fstat shows what it is.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Unreadable(*link_refused(path)) from error
        raise Unopened(f"{path.name} can't be opened: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable(f"{path.name} is not a regular file.", "Move it out of the folder.")
    return handle
