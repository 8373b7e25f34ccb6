"""Building indexes beside a hook that can't wait for it: one process at a time, ending by itself.

Run as `python -I -m memtui.hooks.build`, MEMTUI_DIR naming the memory.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import StoreError

if TYPE_CHECKING:
    from store.backends import Location

SECONDS = 900
"""The longest a build may take; a million memories take a tenth of it."""
_PAUSE = 60.0
"""Seconds between two starts: what fails, such as on a full disk, is not tried at each prompt."""
_POLITE = 10
_FIRST = 8_000_000
"""Bytes of the newest memories that are indexed before all others, for the hooks meanwhile."""
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def start_build(memory: Location) -> bool:
    """Start a process that brings a memory's index and manifest in step; whether it was started.

    Not where one is at it, began a moment ago, or could keep nothing.
    """
    try:
        with os.fdopen(os.open(_gate(memory), _FLAGS, 0o600), "rb+") as gate:
            began = os.fstat(gate.fileno())
            if began.st_size and abs(time.time() - began.st_mtime) < _PAUSE:
                return False
            fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
            gate.write(b"\n")
    except (OSError, StoreError):
        return False
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    command = [sys.executable, "-I", "-m", __name__]
    # Not as an argument: everyone sees those, and a URL may hold a password.
    environ = {**os.environ, "MEMTUI_DIR": str(memory)}
    os.posix_spawn(sys.executable, command, environ, file_actions=nowhere, setsid=True)
    return True


def build(memory: Location) -> None:
    """Bring index and manifest in step with the files, and the names of the code with the working
    tree, unless another process is at it.
    """
    from store import open_memory

    with suppress(BlockingIOError), os.fdopen(os.open(_gate(memory), _FLAGS, 0o600), "rb+") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.utime(gate.fileno())
        with open_memory(memory) as opened:
            opened.index.index_newest(_FIRST)
            opened.index.settle()
            opened.recall.index_code_names()


def _gate(memory: Location) -> Path:
    from store.search.folder import cache_file

    return cache_file(memory, ".build")


def main() -> None:
    """Build the index of the memory that MEMTUI_DIR names."""
    signal.alarm(SECONDS)
    os.chdir("/")
    os.nice(_POLITE)
    memory = os.environ["MEMTUI_DIR"]
    build(memory if "://" in memory else Path(memory))


if __name__ == "__main__":
    main()
