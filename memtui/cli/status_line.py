"""The line of `memtui status --short` as it was printed last: a status line asks again each minute.

It is printed again for five minutes, unless a file was replaced that it follows from. To see that,
nothing of the store is loaded.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from store.platform.home import user_folder

_SECONDS = 300
"""After this an edit in place or in the working tree, and the age of memories, count anew."""


def kept_line() -> str:
    """Return the line that was printed here last; an empty text where it holds no more."""
    try:
        asked, line, made, *watched = _place().read_text(encoding="utf-8").split("\0")
        is_new = 0 <= time.time() - float(made) < _SECONDS
        paths = [stamped.partition(" ")[2] for stamped in watched]
    except (OSError, ValueError):
        return ""
    return line if is_new and asked == _asked() and watched == [*map(_stamped, paths)] else ""


def keep_line(line: str, paths: Iterable[Path]) -> None:
    """Keep a line that follows from these files. Where that fails it is made anew each time."""
    kept = "\0".join((_asked(), line, str(time.time()), *map(_stamped, map(str, paths))))
    place = _place()
    temporary = place.with_name(f"{place.name}.{os.getpid()}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(kept, encoding="utf-8")
        temporary.replace(place)


def _asked() -> str:
    """What the answer depends on beside files: where it is asked, and variables of ours."""
    named = sorted(item for item in os.environ.items() if item[0].startswith("MEMTUI_"))
    return repr((os.getcwd(), named, user_folder("config"), user_folder("data")))  # noqa: PTH109


def _place() -> Path:
    return user_folder("cache") / "status" / f"{zlib.crc32(_asked().encode()):08x}"


def _stamped(path: str) -> str:
    try:
        return f"{os.stat(path).st_mtime_ns} {path}"  # noqa: PTH116
    except OSError:
        return f"0 {path}"
