"""The sessions of all projects on this machine: which files, whose, and whether memory is on."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from store.agents.client import Home, SessionFile
from store.agents.discovery import session_files
from store.backends.location import FOLDER, nearest_store, place_to_start
from store.backends.off import check_on
from store.backends.user_data import everywhere_folder
from store.errors import MemoryOff, NoMemory
from store.platform.project import project_of
from store.settings.files import load_settings


def files_everywhere(home: Home) -> tuple[SessionFile, ...]:
    """Return the session files of all projects, newest first, without those of projects whose
    memory is off.

    Where a session's first lines don't name the folder that it ran in, reading it decides.
    """
    is_on = lru_cache(maxsize=None)(is_memory_on)
    return tuple(file for file in session_files(home) if is_on(file.folder))


def project_folder(folder: str) -> str:
    """Return the main working tree that a folder lies in, else the folder; empty for a relative
    one.
    """
    if not Path(folder).is_absolute():
        return ""
    project = project_of(Path(folder))
    return str(project.main_root) if project else folder


def is_memory_on(folder: str) -> bool:
    """Return whether the settings of the project that a folder lies in leave memory on; the user's
    where no folder is known.
    """
    if not Path(folder).is_absolute():
        return load_settings(everywhere_folder()).settings.enabled
    try:
        check_on(Path(folder), os.environ)
        found = nearest_store(Path(folder))
    except MemoryOff:
        return False
    except NoMemory:
        found = None
    return load_settings(found or place_to_start(Path(folder)) / FOLDER).settings.enabled
