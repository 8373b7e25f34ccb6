"""Making durable what was written: files, and the names in folders."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

NOT_KNOWN = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})
"""How a disk says that it does not know a call: locks, rights, syncs of folders."""


def sync_file(handle: int) -> None:
    """Make what was written to a file durable. Raises `OSError`.

    macOS leaves it in the disk's own cache after an fsync, and has a call of its own to empty that.
    """
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(handle, full)
        except OSError as error:
            if error.errno not in NOT_KNOWN | {errno.ENOTTY}:
                raise
        else:
            return
    os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, where its disk knows how. Raises `OSError`."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_file(handle)
    except OSError as error:
        if error.errno not in NOT_KNOWN:
            raise
    finally:
        os.close(handle)
