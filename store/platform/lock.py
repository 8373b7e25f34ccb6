"""The kernel's lock on a file: one holder on this machine, and none once that holder is dead."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from store.platform.write import OWN_FILE

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def lock(path: Path, until: float, poll: float) -> int | None:
    """Take the lock of a file, which is made where there is none: an open handle, for `unlock`.

    None where another still has it at `until`, a time of `time.monotonic`; it is asked for every
    `poll` seconds. Raises `OSError`.
    """
    handle = os.open(path, _FLAGS, OWN_FILE)
    is_ours = False
    try:
        while not (is_ours := _is_free(handle)):
            left = until - time.monotonic()
            if left <= 0:
                return None
            time.sleep(min(poll, left))
        return handle
    finally:
        if not is_ours:
            os.close(handle)


def unlock(handle: int) -> None:
    """Let go of a lock, also where a fork has the handle open still."""
    # Nothing was written through it: an error of the closing fails nobody's write.
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_UN)
    with suppress(OSError):
        os.close(handle)


def _is_free(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
