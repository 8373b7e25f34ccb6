"""The folder that an export is written into."""

from __future__ import annotations

from pathlib import Path

from store.errors import Conflict
from store.platform.write import write_error


def check_empty(folder: Path) -> None:
    """Raise `Conflict` where a folder holds anything already; `ReadOnly`, `WriteFailed`."""
    try:
        there = min(folder.iterdir(), default=None) if folder.is_dir() else None
    except OSError as error:
        raise write_error(folder, error) from error
    if there is not None:
        raise Conflict(
            f"{folder} is not empty ({there.name}). Nothing was written.",
            "Choose a new folder.",
        )
