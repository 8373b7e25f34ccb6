"""The projects in which memory is off, by the user's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from store.errors import MemoryOff
from store.platform.home import place_typed
from store.platform.links import real_path
from store.platform.project import remotes_of, tree_of
from store.settings.files import user_choice

SETTING = "memory_off"
"""The setting that names folders and remotes."""
_BELOW = "/**"


def check_on(start: Path, environ: Mapping[str, str]) -> None:
    """Raise `MemoryOff` where the user's settings turn memory off for the project of a folder."""
    chosen = user_choice(SETTING, environ)
    if chosen and (pattern := off_by(chosen, start)):
        raise MemoryOff(
            f"Memory is off here: your setting {SETTING} has {pattern}.",
            f"Change it with `memtui config set {SETTING}`.",
        )


def off_by(chosen: str, start: Path) -> str:
    """Return the pattern that turns memory off for the project of a folder; empty for none.

    One that begins with `/` or `~` names folders, all that is in them included; another a remote.
    """
    project = tree_of(start.absolute())
    root = project.main_root if project is not None else start.absolute()
    folders = {str(place) for folder in (start.absolute(), root) for place in _with_parents(folder)}
    remotes = remotes_of(root) if project is not None else ()
    for pattern in filter(None, map(str.strip, chosen.split(","))):
        if pattern[0] in "/~":
            named = str(place_typed(pattern.removesuffix(_BELOW)))
            is_off = any(fnmatch(folder, named) for folder in folders)
        else:
            is_off = any(fnmatch(remote, pattern.casefold()) for remote in remotes)
        if is_off:
            return pattern
    return ""


def _with_parents(folder: Path) -> Iterator[Path]:
    for place in {folder, real_path(folder)}:
        yield from (place, *place.parents)
