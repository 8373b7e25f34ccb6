"""Whether what a foreign text names is there; a name too long for the system names nothing."""

from __future__ import annotations

import os
from pathlib import Path


def is_there(place: Path | str) -> bool:
    """Whether there is anything at a place."""
    return os.path.exists(place)  # a path's own method raises for such names


def is_file(place: Path | str) -> bool:
    """Whether there is a file at a place."""
    return os.path.isfile(place)


def is_folder(place: Path | str) -> bool:
    """Whether there is a folder at a place."""
    return os.path.isdir(place)
