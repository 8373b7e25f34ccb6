"""Look up files by names from foreign text; a name too long for the system names nothing."""

from __future__ import annotations

import os
from pathlib import Path


def is_there(place: Path | str) -> bool:
    return os.path.exists(place)  # a path's own method raises for such names


def is_file(place: Path | str) -> bool:
    return os.path.isfile(place)


def is_folder(place: Path | str) -> bool:
    return os.path.isdir(place)
