"""Markers, AgentX's locks: a file `X.json.lock` next to the file that is being written."""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from store.platform.json_fields import is_number, object_in
from store.platform.write import OWN_FILE, write_all, write_error
from store.records import format_time, parse_time

STALE_AFTER = 30.0
"""Seconds after which a foreign marker counts as left behind (AgentX's own limit)."""


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
        status = Path(f"/proc/{pid}/stat").read_bytes()
        return status.rsplit(b") ", 1)[1].split()[19].decode()
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


def publish_marker(marker: Path) -> bytes | None:
    """Put our marker there, whole, and return its token; None where a foreign one is there.

    Whoever calls holds the gate. Raises as writing does.
    """
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
