"""Moving and removing files of memory, durably."""

from __future__ import annotations

import os
from pathlib import Path

from store.platform.write import confirm, make_folder, refuse_link, unlink, write_error


def move_file(source: Path, target: Path, root: Path) -> None:
    """Move a file within the store, durably; anything a name can stand for. Raises as above."""
    for folder in (source.parent, target.parent):
        refuse_link(folder, root)
    make_folder(target.parent)
    try:
        os.rename(source, target)
    except OSError as error:
        raise write_error(source, error) from error
    confirm(source, *dict.fromkeys((target.parent, source.parent)))


def remove_file(path: Path, root: Path) -> None:
    """Remove a file, its absence durable. Raises `ReadOnly`, `WriteFailed`."""
    if unlink(path, root):
        confirm(path, path.parent)
