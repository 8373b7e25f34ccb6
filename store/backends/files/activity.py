"""The activity log as a file: one JSON line for each thing that happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.backends.files.layout import ACTIVITY
from store.backends.protocol import LogStamp
from store.disk import append_line, read_bytes
from store.errors import Unreadable


def append_activity(folder: Path, entry: Mapping[str, Any]) -> None:
    """Append one entry (`type` and `timestamp` first). Raises `ReadOnly`, `WriteFailed`."""
    line = json.dumps(dict(entry), ensure_ascii=True, separators=(",", ":"))
    append_line(folder / ACTIVITY, line.encode("ascii"), folder)


def activity_lines(folder: Path, start: int = 0) -> tuple[list[bytes], int]:
    """The whole lines from a byte on, and the byte to go on from. Raises `Unreadable`.

    A last line without its end is left for later. A start past the end (the log was replaced)
    reads it from the beginning.
    """
    path = folder / ACTIVITY
    try:
        if path.stat().st_size < start:
            start = 0
        data = read_bytes(path, folder, start)
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
    end = data.rfind(b"\n") + 1
    return data[:end].splitlines(), start + end


def activity_stamp(folder: Path) -> LogStamp:
    """The log's size in bytes, and when it changed. Raises `Unreadable`."""
    try:
        info = (folder / ACTIVITY).stat()
    except FileNotFoundError:
        return LogStamp()
    except OSError as error:
        raise Unreadable(f"{ACTIVITY} can't be read: {error.strerror}.") from error
    return LogStamp(info.st_size, f"{info.st_mtime_ns} {info.st_ctime_ns} {info.st_ino}")
