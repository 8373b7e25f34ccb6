"""Look up files by names from foreign text; a name too long for the system names nothing."""

from __future__ import annotations

import os
from pathlib import Path


def is_there(place: Path | str) -> bool:
    """Look for anything at a place."""
    return os.path.exists(place)  # a path's own method raises for such names


def is_file(place: Path | str) -> bool:
    """Look for a file at a place."""
    return os.path.isfile(place)


def is_folder(place: Path | str) -> bool:
    """Look for a folder at a place."""
    return os.path.isdir(place)
