"""Locks: one writer at a time, whoever else writes and whenever it dies.

Our own processes exclude each other with the kernel's lock on one gate file, which a dead process
leaves at once. AgentX excludes itself by marker files, `X.json.lock` beside the file it writes:
we honour those, and publish ours while we hold the gate.
"""

from __future__ import annotations

import errno
import json
import os
import random
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.files.layout import GATE
from store.disk import OWN_FILE, write_all, write_error
from store.errors import LockTimeout, WriteFailed

if TYPE_CHECKING:
    from filelock import FileLock

TIMEOUT = 5.0
"""Seconds to wait for a lock before giving up."""
STALE_AFTER = 30.0
"""Seconds after which a foreign marker counts as left behind (AgentX's own limit)."""
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
"""How a disk says that it knows no hard links (vfat, exFAT, some shares)."""
_POLL = 0.005
_PATIENCE = 0.1
_POLL_LATE = 0.001
"""Who has waited for `_PATIENCE` seconds asks more often, and so goes before who has just come."""
_PAUSE = 0.002
"""Seconds between a release and the next hold, so that a waiter's poll finds the lock free."""


class _Gate:
    """What this process holds of one store's gate file, shared by all its `StoreLock`s."""

    def __init__(self) -> None:
        self.thread = threading.RLock()
        self.file: FileLock | None = None
        self.depth = 0
        self.released = 0.0


_gates: dict[str, _Gate] = {}
_gates_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class Marker:
    """What is known of a marker file: who made it, and whether it may be broken."""

    holder: str
    breakable: bool
    token: bytes


class StoreLock:
    """The gate of a store, and the markers published under it. Safe to share between threads."""

    def __init__(self, folder: Path, *, agent: str = "memtui", timeout: float = TIMEOUT) -> None:
        self._folder = folder
        self._agent = agent
        self._timeout = timeout
        with _gates_guard:
            self._gate = _gates.setdefault(str(folder.resolve()), _Gate())

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
                        if _read(marker) == token:
                            _drop(marker)
                    return
            if time.monotonic() >= deadline:
                raise self._timed_out(marker, _who(_read(marker)))
            time.sleep(random.uniform(0.005, 0.02))

    def check(self, path: Path | None = None) -> None:
        """Raise `WriteFailed` where the gate, or the marker of `path`, is no longer ours."""
        marker = None if path is None else path.with_name(path.name + ".lock")
        if not self._gate_is_ours() or (marker is not None and not _is_ours(_read(marker))):
            raise WriteFailed(
                f"The lock of {path.name if path else self._folder} was taken away while writing; "
                "nothing was changed.",
                "Something removes lock files in the memory folder; try again.",
            )

    @contextmanager
    def _held(self, deadline: float) -> Iterator[None]:
        if not self._gate.thread.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise self._timed_out(self._folder / GATE, "another part of this program")
        try:
            if self._gate.depth == 0:
                self._acquire(deadline)
            self._gate.depth += 1
            try:
                yield
            finally:
                self._gate.depth -= 1
                if self._gate.depth == 0:
                    self._release()
        finally:
            self._gate.thread.release()

    def _acquire(self, deadline: float) -> None:
        from filelock import FileLock, Timeout

        wait = self._gate.released + _PAUSE - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        gate = self._folder / GATE
        patience = time.monotonic() + _PATIENCE
        while True:
            self._gate.file = FileLock(
                gate, mode=OWN_FILE, thread_local=False, fallback_to_soft=False
            )
            now = time.monotonic()
            until, poll = (patience, _POLL) if now < patience < deadline else (deadline, _POLL_LATE)
            try:
                self._gate.file.acquire(timeout=max(0.0, until - now), poll_interval=poll)
            except Timeout as error:
                if until < deadline:
                    continue
                raise self._timed_out(gate, _who(_read(gate))) from error
            except OSError as error:
                raise write_error(gate, error) from error
            if self._gate_is_ours():
                return
            # Someone unlinked the file between our open and our lock: two could hold it.
            self._gate.file.release()

    def _gate_is_ours(self) -> bool:
        gate = self._folder / GATE
        if self._gate.file is None or not self._gate.file.is_locked:
            return False
        try:
            handle = self._gate.file._context.lock_file_fd
            return handle is not None and os.path.samestat(os.fstat(handle), gate.lstat())
        except OSError:
            return False

    def _release(self) -> None:
        if self._gate.file is not None:
            self._gate.file.release()
        self._gate.released = time.monotonic()

    def _publish(self, marker: Path) -> bytes | None:
        """Put our marker there, whole; `None` where a foreign one stands. Must hold the gate."""
        token = _our_token(self._agent)
        private = marker.with_name(f".{marker.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
        try:
            handle = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWN_FILE)
            try:
                write_all(handle, token)
            finally:
                os.close(handle)
            while True:
                try:
                    _place(private, marker, token)
                    return token
                except FileExistsError:
                    if not _break_if_left(marker):
                        return None
        except OSError as error:
            raise write_error(marker, error) from error
        finally:
            _drop(private)

    def _timed_out(self, path: Path, holder: str) -> LockTimeout:
        return LockTimeout(
            f"{path.name} has been locked by {holder} for more than {self._timeout:g} s.",
            "Try again; `memtui doctor` shows locks that were left behind.",
        )


def judge(path: Path, now: float) -> Marker | None:
    """What a marker says and whether it may be broken at `now` (seconds); `None` if it is gone.

    Ours is breakable when its process is dead; a foreign one after 30 s by the time it states,
    and by its file's own times where it states none, or one that is still to come.
    """
    try:
        info = path.lstat()
    except OSError:
        return None
    if stat.S_ISLNK(info.st_mode):
        return Marker("a link", True, b"")
    token = _read(path)
    content = _parse(token)
    if content.get("memtui") == 1:
        pid = content.get("pid")
        alive = isinstance(pid, int) and _started(pid) == content.get("started")
        return Marker(_who(token), not alive, token)
    written = max(info.st_mtime, info.st_ctime)
    stated = _stated_time(content)
    since = written if stated is None else min(stated, written)
    return Marker(_who(token), now - since > STALE_AFTER, token)


def _stated_time(content: dict[str, object]) -> float | None:
    from store.records import parse_time

    for key in ("timestamp", "created"):
        value = content.get(key)
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value) / 1000
            if isinstance(value, str):
                return parse_time(value).timestamp()
        except (ValueError, OverflowError):
            continue
    return None


def _our_token(agent: str) -> bytes:
    from datetime import UTC, datetime

    from store.records import format_time

    now = datetime.now(UTC)
    content = {
        "pid": os.getpid(),
        "timestamp": format_time(now),
        "created": format_time(now),
        "agent": agent,
        "memtui": 1,
        "started": _started(os.getpid()),
    }
    return json.dumps(content).encode()


def _started(pid: int) -> str | None:
    """What tells a process from a later one with the same pid; `None` where it is not running."""
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


def _is_ours(token: bytes) -> bool:
    content = _parse(token)
    return content.get("memtui") == 1 and content.get("pid") == os.getpid()


def _parse(token: bytes) -> dict[str, object]:
    try:
        content = json.loads(token)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _who(token: bytes) -> str:
    content = _parse(token)
    agent, pid = content.get("agent"), content.get("pid")
    name = agent if isinstance(agent, str) and agent.isprintable() else "another program"
    return f"{name[:64]} (process {pid})" if isinstance(pid, int) else name[:64]


def _read(path: Path) -> bytes:
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


def _break_if_left(path: Path) -> bool:
    """Break a marker that was left behind; whether its place may be free now."""
    marker = judge(path, time.time())
    if marker is not None:
        # Who asks holds the gate: a marker of this very process is left over too.
        if not marker.breakable and not _is_ours(marker.token):
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
    if _read(aside) != token:
        with suppress(FileExistsError):
            _place(aside, path, _read(aside))
    _drop(aside)


def _place(private: Path, marker: Path, token: bytes) -> None:
    """Publish a marker whole; where the disk has no hard links, by making it and writing it.

    Raises `FileExistsError`.
    """
    try:
        os.link(private, marker)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        handle = os.open(marker, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWN_FILE)
        try:
            write_all(handle, token)
        finally:
            os.close(handle)


def _drop(path: Path) -> None:
    """Remove a marker that has served, or its temporary file.

    Where that fails, what was written stands all the same: the next hold breaks a marker of
    ours, and `doctor` finds temporary files.
    """
    with suppress(OSError):
        path.unlink()
