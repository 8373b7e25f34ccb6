"""Which files a test left open: those below its folder, whatever other threads open meanwhile."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def open_below(folder: Path) -> list[str]:
    """The files and folders at and below a folder that this process has open, once each time."""
    found: list[str] = []
    for handle in Path("/dev/fd").iterdir():
        with suppress(OSError):  # the one that lists them is closed again
            path = handle.readlink()
            found += [str(path)] if path.is_relative_to(folder) else []
    return sorted(found)
