"""Work that a hook can't wait for, in processes that end by themselves.

Run as `python -I -m memtui.hooks.background [HOOK CHANNEL]`, MEMTUI_DIR naming the memory: brings
its index in step, or has a language model capture a session, the hook's input on standard input.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import store
from store.backends import Location
from store.backends.user_data import project_root, renew_project
from store.errors import StoreError

if TYPE_CHECKING:  # the start of a process needs none of it
    from memtui.hooks.call import HookCall

_INDEX_SECONDS = 900
"""The longest an index may take; a million memories take a tenth of it."""
_ASK_SECONDS = 1_620
"""The longest that a program may take, with reading and storing."""
_PAUSE = 60.0
"""Seconds between two starts: what fails, such as on a full disk, is not tried at each prompt."""
_POLITE = 10
_FIRST = 8_000_000
"""Bytes of the newest memories that are indexed before all others, for the hooks meanwhile."""


def start_indexing(memory: Location) -> bool:
    """Start a process that brings a memory's index and manifest in step; whether it was started.

    Not where one is at it, began a moment ago, or could keep nothing.
    """
    try:
        with _gate(memory) as gate:
            began = os.fstat(gate)
            if began.st_size and abs(time.time() - began.st_mtime) < _PAUSE:
                return False
            os.write(gate, b"\n")
    except (OSError, StoreError):
        return False
    _start(memory)
    return True


def start_asking(call: HookCall, memory: Location) -> None:
    """Start a process that captures what a hook's input points to, with a language model."""
    _start(memory, call.hook, call.client.name, given=json.dumps(call.given.fields or {}))


def _start(memory: Location, *arguments: str, given: str = "") -> None:
    from tempfile import TemporaryFile  # few hooks start a process

    with TemporaryFile() as stream:
        stream.write(given.encode())
        stream.seek(0)
        actions = [
            (os.POSIX_SPAWN_DUP2, stream.fileno(), 0),
            *((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (1, 2)),
        ]
        command = [sys.executable, "-I", "-m", __name__, *arguments]
        # Not as an argument: everyone sees those, and a URL may hold a password.
        environ = {**os.environ, "MEMTUI_DIR": str(memory)}
        os.posix_spawn(sys.executable, command, environ, file_actions=actions, setsid=True)


def index(memory: Location) -> None:
    """Bring index and manifest in step with the files, the verdicts on memories with the code, what
    sessions did with them, and what is known of the project, unless another process is at it.
    """
    with suppress(BlockingIOError), _gate(memory) as gate:
        os.utime(gate)
        with store.open_memory(memory) as opened:
            opened.index.index_newest(_FIRST)
            opened.index.settle()
            opened.drift.refresh()
            opened.usage.refresh()
            renew_project(project_root(opened.path))


@contextmanager
def _gate(memory: Location) -> Iterator[int]:
    """The lock of those who index a memory. Raises `BlockingIOError` where another holds it."""
    from store.search.folder import cache_file

    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    gate = os.open(cache_file(memory, ".build"), flags, 0o600)
    try:
        fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield gate
    finally:
        os.close(gate)


def main() -> None:
    os.nice(_POLITE)
    named = os.environ["MEMTUI_DIR"]
    memory = named if "://" in named else Path(named)
    if len(sys.argv) > 1:
        signal.alarm(_ASK_SECONDS)
        from memtui.hooks.capture import ask  # indexing needs nothing of captures

        ask(memory, *sys.argv[1:3])
    else:
        signal.alarm(_INDEX_SECONDS)
        os.chdir("/")
        index(memory)


if __name__ == "__main__":
    main()
