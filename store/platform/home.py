"""The user's own folders, also for a user who has none."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

from store.errors import NoMemory, StoreError

NOWHERE = Path(os.devnull) / "home"
"""Stands for the home of a user without one: nothing is there, and nothing can be made there."""
_VARIABLES = {
    "cache": "XDG_CACHE_HOME",
    "config": "XDG_CONFIG_HOME",
    "data": "XDG_DATA_HOME",
    "state": "XDG_STATE_HOME",
}
_IS_LINUX = sys.platform == "linux"
_PLACES = {"cache": ".cache", "config": ".config", "data": ".local/share", "state": ".local/state"}


def home_folder() -> Path:
    """Return the home folder; `NOWHERE` for a user who has none."""
    try:
        home = Path.home()
    except RuntimeError:
        return NOWHERE
    return home if home.is_absolute() else NOWHERE


def user_folder(kind: Literal["cache", "config", "data", "state"]) -> Path:
    """Return the user's folder of a kind for memtui; one below `NOWHERE` for a user who has none.

    A relative one is none: a checkout may bring a folder of that name, `~` among them.
    """
    if _IS_LINUX:  # as platformdirs does, which takes a hook 5 ms to load
        named, home = os.environ.get(_VARIABLES[kind], ""), home_folder()
        base = Path(named) if named.strip() else home / _PLACES[kind]
        is_there = base.is_absolute() and not is_nowhere(base)
        return base / "memtui" if is_there else NOWHERE / _VARIABLES[kind]
    import platformdirs  # Linux does without

    find = getattr(platformdirs, f"user_{kind}_path")
    try:
        folder: Path = find("memtui", appauthor=False)
    except RuntimeError:
        return NOWHERE / _VARIABLES[kind]
    return folder if folder.is_absolute() else NOWHERE / _VARIABLES[kind]


def expanded(path: Path | str) -> Path:
    """A path with `~` and `~user` replaced by the home they mean. Raises `NoMemory` without one."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise NoMemory(f"{path} not found: unknown home folder.", "Give the full path.") from error


def place_typed(text: Path | str) -> Path:
    """Return the place that a text names while it is typed; of a home that nobody has, one that is
    not there.
    """
    try:
        return expanded(text)
    except NoMemory:
        return Path(text)


def is_nowhere(path: Path) -> bool:
    """Return whether the path would lie in the home of a user who has none."""
    return path.is_relative_to(NOWHERE)


def check_home(path: Path) -> None:
    """Raise `StoreError` for a path that would lie in the home of a user who has none."""
    if is_nowhere(path):
        named = path.relative_to(NOWHERE).parts
        other = f" or {named[0]}" if named and named[0] in _VARIABLES.values() else ""
        raise StoreError("No home folder found.", f"Set HOME{other}.")
