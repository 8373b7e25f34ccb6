"""Folders of derived data, for this user alone."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from store.errors import StoreError
from store.platform.home import check_home
from store.platform.write import OWN_FOLDER


def make_private(folder: Path) -> None:
    """Make a folder of derived data and those above it, for this user alone, not durably.

    Raises `StoreError` where one of another user stands there, or for a user without a home, and
    `OSError`.
    """
    check_home(folder)
    for place in (*reversed(folder.parents), folder):
        with suppress(FileExistsError):
            if not place.is_dir():
                place.mkdir(OWN_FOLDER)
    for place, owners in ((folder, {os.geteuid()}), (folder.parent, {os.geteuid(), 0})):
        if place.stat().st_uid not in owners:
            raise StoreError(f"{place} belongs to another user.", "It was not used.")
    if stat.S_IMODE(folder.stat().st_mode) & ~OWN_FOLDER:
        folder.chmod(OWN_FOLDER)
