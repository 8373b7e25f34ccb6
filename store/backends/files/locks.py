"""Locks: one writer at a time, whoever else writes and whenever it dies.

Our own processes exclude each other with the kernel's lock on one gate file, which a dead process
leaves at once. AgentX excludes itself by marker files, `X.json.lock` next to the file it writes:
we honour those, and publish ours while we hold the gate.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import uniform
from typing import NamedTuple

from store.backends.files.layout import GATE
from store.errors import LockTimeout, ReadOnly, WriteFailed
from store.platform.json_fields import is_number, object_in
from store.platform.links import real_path
from store.platform.lock import lock, unlock
from store.platform.write import NOT_KNOWN, OWN_FILE, write_all, write_error
from store.records import format_time, parse_time

TIMEOUT = 5.0
"""Seconds to wait for a lock before giving up."""
_POLL = 0.001
_PAUSE = 0.002
"""Seconds between a release and the next hold, so that a waiter's poll finds the lock free."""
_PAUSE_EVERY = 0.05
"""Seconds from a pause to the next: who writes a thousand issues rests a twentieth of the time."""
_gates: dict[str, _Gate] = {}
_gates_guard = threading.Lock()
STALE_AFTER = 30.0
"""Seconds after which a foreign marker counts as left behind (AgentX's own limit)."""


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
                token = self._publish(marker)
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

    def _publish(self, marker: Path) -> bytes | None:
        """Put our marker there, whole; `None` where a foreign one is there. Must hold the gate."""
        token = our_token()
        private = marker.with_name(f".{marker.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            handle = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWN_FILE)
            try:
                write_all(handle, token)
            finally:
                os.close(handle)
            while True:
                try:
                    place_marker(private, marker, token)
                    return token
                except FileExistsError:
                    if not break_if_left(marker):
                        return None
        except OSError as error:
            raise write_error(marker, error) from error
        finally:
            drop_marker(private)

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


class Marker(NamedTuple):
    """A marker file: who made it, and whether it may be broken.

    `ours`: memtui made it, in this process or another.
    """

    holder: str
    breakable: bool
    token: bytes
    ours: bool = False


def judge(path: Path, now: float) -> Marker | None:
    """Read a marker and judge whether it may be broken at `now` (seconds); `None` if it is gone.

    Ours is breakable when its process is dead; a foreign one after 30 s by the time it states,
    and by its file's own times where it states none, or one that is still to come.
    """
    try:
        info = path.lstat()
    except OSError:
        return None
    if stat.S_ISLNK(info.st_mode):
        return Marker("a symbolic link", True, b"")
    token = read_marker(path)
    content = object_in(token)
    if content.get("memtui") == 1:
        pid = content.get("pid")
        alive = isinstance(pid, int) and _started(pid) == content.get("started")
        return Marker(holder_of(token), not alive, token, ours=True)
    written = max(info.st_mtime, info.st_ctime)
    stated = _stated_time(content)
    since = written if stated is None else min(stated, written)
    return Marker(holder_of(token), now - since > STALE_AFTER, token)


def _stated_time(content: dict[str, object]) -> float | None:
    for key in ("timestamp", "created"):
        value = content.get(key)
        try:
            if is_number(value):
                return float(value) / 1000
            if isinstance(value, str):
                return parse_time(value).timestamp()
        except (ValueError, OverflowError):
            continue
    return None


def our_token() -> bytes:
    now = datetime.now(UTC)
    content = {
        "pid": os.getpid(),
        "timestamp": format_time(now),
        "created": format_time(now),
        "agent": "memtui",
        "memtui": 1,
        "started": _started(os.getpid()),
    }
    return json.dumps(content).encode()


def _started(pid: int) -> str | None:
    """When a process started, to tell it from a later one of its pid; `None` if it is gone."""
    try:
        said = Path(f"/proc/{pid}/stat").read_bytes()
        return said.rsplit(b") ", 1)[1].split()[19].decode()
    except (OSError, IndexError):
        pass
    if Path("/proc/self/stat").exists():
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        return "running"
    return "running"


def is_ours(token: bytes) -> bool:
    content = object_in(token)
    return content.get("memtui") == 1 and content.get("pid") == os.getpid()


def holder_of(token: bytes) -> str:
    content = object_in(token)
    agent, pid = content.get("agent"), content.get("pid")
    name = agent if isinstance(agent, str) and agent.isprintable() else "another program"
    return f"{name[:64]} (process {pid})" if isinstance(pid, int) else name[:64]


def read_marker(path: Path) -> bytes:
    """Read a marker, through no link; nothing where it is gone or can't be read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(handle, 4096)
    except OSError:
        return b""
    finally:
        os.close(handle)


def break_if_left(path: Path) -> bool:
    """Break a marker that was left behind; whether its place may be free now."""
    marker = judge(path, time.time())
    if marker is not None:
        # Who asks holds the gate: a marker of this very process is left over too.
        if not marker.breakable and not is_ours(marker.token):
            return False
        _break(path, marker.token)
    return True


def _break(path: Path, token: bytes) -> None:
    """Take a marker away, unless it was replaced since it was judged."""
    aside = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        os.rename(path, aside)
    except FileNotFoundError:
        return
    if read_marker(aside) != token:
        with suppress(FileExistsError):
            place_marker(aside, path, read_marker(aside))
    drop_marker(aside)


def place_marker(private: Path, marker: Path, token: bytes) -> None:
    """Publish a marker whole; where the disk has no hard links, by making it and writing it.

    Each disk reports in its own way that it has none (vfat, exFAT, shares, telephones). Raises
    `FileExistsError`, or the `OSError` of the other way.
    """
    try:
        os.link(private, marker)
    except FileExistsError:
        raise
    except OSError:
        handle = os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWN_FILE)
        try:
            write_all(handle, token)
        except OSError:
            drop_marker(marker)  # an empty one would be taken for a stranger's
            raise
        finally:
            os.close(handle)


def drop_marker(path: Path) -> None:
    """Remove a marker that has served, or its temporary file.

    Where that fails, what was written is kept all the same: the next hold breaks a marker of
    ours, and `doctor` finds temporary files.
    """
    with suppress(OSError):
        path.unlink()
