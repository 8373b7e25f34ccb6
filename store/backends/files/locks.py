"""Locks: one writer at a time, whoever else writes and whenever it dies.

Our own processes exclude each other with the kernel's lock on one gate file, which a dead process
leaves at once. AgentX excludes itself by marker files, `X.json.lock` next to the file it writes:
we honour those, and publish ours while we hold the gate.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import uniform

from store.backends.files.layout import GATE
from store.backends.files.markers import (
    drop_marker,
    holder_of,
    is_ours,
    publish_marker,
    read_marker,
)
from store.errors import LockTimeout, ReadOnly, WriteFailed
from store.platform.links import real_path
from store.platform.lock import lock, unlock
from store.platform.write import NOT_KNOWN, write_error

TIMEOUT = 5.0
"""Seconds to wait for a lock before giving up."""
_POLL = 0.001
_PAUSE = 0.002
"""Seconds between a release and the next hold, so that a waiter's poll finds the lock free."""
_PAUSE_EVERY = 0.05
"""Seconds from a pause to the next: who writes a thousand issues rests a twentieth of the time."""
_gates: dict[str, _Gate] = {}
_gates_guard = threading.Lock()


class _Gate:
    """One store's gate file as this process holds it, shared by all its `StoreLock`s."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.thread = threading.RLock()
        self.file: int | None = None
        self.depth = 0
        self.released = self.paused = 0.0


def _begin_after_fork() -> None:
    """Hold nothing of what the parent's threads held: they don't run here, and release nothing."""
    global _gates_guard
    _gates_guard = threading.Lock()
    for gate in _gates.values():
        if gate.file is not None:
            os.close(gate.file)
        gate.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_after_fork)


def memory_is_gone(folder: Path) -> WriteFailed:
    return WriteFailed(
        f"{folder} is gone: memory was moved or removed after it was opened.",
        "Try again, or start the app again.",
    )


class StoreLock:
    """The gate of a store, and the markers published under it. Safe to share between threads."""

    def __init__(self, folder: Path, *, timeout: float = TIMEOUT) -> None:
        self._folder = folder
        self._timeout = timeout
        with _gates_guard:
            self._gate = _gates.setdefault(str(real_path(folder)), _Gate())

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold the gate. Raises `LockTimeout`, or `ReadOnly` where no gate file can be made."""
        with self._held(time.monotonic() + self._timeout):
            yield

    @contextmanager
    def marked(self, path: Path) -> Iterator[None]:
        """Hold the gate and publish the marker for one file of the store.

        Raises `LockTimeout` where a foreign marker stays, naming its holder. While it is waited
        for, the gate is free: what a stranger holds keeps nobody from writing elsewhere.
        """
        deadline = time.monotonic() + self._timeout
        marker = path.with_name(path.name + ".lock")
        while True:
            with self._held(deadline):
                token = publish_marker(marker)
                if token is not None:
                    try:
                        yield
                    finally:
                        if read_marker(marker) == token:
                            drop_marker(marker)
                    return
            if time.monotonic() >= deadline:
                raise self._timed_out(marker, holder_of(read_marker(marker)))
            time.sleep(uniform(0.005, 0.02))

    def check(self, path: Path | None = None) -> None:
        """Raise `WriteFailed` where the gate, or the marker of `path`, is no longer ours."""
        marker = None if path is None else path.with_name(path.name + ".lock")
        if not self._has_gate() or (marker is not None and not is_ours(read_marker(marker))):
            raise WriteFailed(
                f"The lock of {path.name if path else self._folder} was removed while writing. "
                "Nothing changed.",
                "Something deletes lock files in the memory folder. Try again.",
            )

    @contextmanager
    def _held(self, deadline: float) -> Iterator[None]:
        held = self._gate.thread
        if not held.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise self._timed_out(self._folder / GATE, "another part of this program")
        try:
            if self._gate.depth == 0:
                self._acquire(deadline)
            self._gate.depth += 1
            try:
                yield
            finally:
                if held is self._gate.thread:  # else this is a fork, which holds nothing
                    self._gate.depth -= 1
                    if self._gate.depth == 0:
                        self._unlock()
                        self._gate.released = time.monotonic()
        finally:
            if held is self._gate.thread:
                held.release()

    def _acquire(self, deadline: float) -> None:
        now = time.monotonic()
        wait = self._gate.released + _PAUSE - now
        if wait > 0 and now - self._gate.paused > _PAUSE_EVERY:
            self._gate.paused = now
            time.sleep(wait)
        gate = self._folder / GATE
        while True:
            try:
                self._gate.file = lock(gate, deadline, _POLL)
            except FileNotFoundError as error:
                raise memory_is_gone(self._folder) from error
            except OSError as error:
                if error.errno in NOT_KNOWN | {errno.ENOLCK}:
                    raise ReadOnly(
                        f"The disk of {self._folder} has no file locks: memory on it can only be"
                        " read.",
                        "Keep memory on a local disk, and set MEMTUI_DIR to it.",
                    ) from error
                raise write_error(gate, error) from error
            if self._gate.file is None:
                raise self._timed_out(gate, holder_of(read_marker(gate)))
            if self._has_gate():
                return
            # Someone unlinked the file between our open and our lock: two could hold it.
            self._unlock()

    def _has_gate(self) -> bool:
        if self._gate.file is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._gate.file), (self._folder / GATE).lstat())
        except OSError:
            return False

    def _unlock(self) -> None:
        handle, self._gate.file = self._gate.file, None
        if handle is not None:
            unlock(handle)

    def is_held(self) -> bool:
        """Return whether somebody writes just now: this process, or any other on this machine.

        The kernel knows, also of a process in a container, whose number means nothing here.
        """
        try:
            handle = os.open(self._folder / GATE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    def _timed_out(self, path: Path, holder: str) -> LockTimeout:
        return LockTimeout(
            f"{path.name} has been locked by {holder} for more than {self._timeout:g} s.",
            "Try again. `memtui doctor` shows locks that were left behind.",
            on=path.name,
        )
