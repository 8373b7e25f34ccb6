"""Where the memory of a project is kept: in the user's data folder, or in the project, tracked by
git or not.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from store.backends import Location, open_backend
from store.backends.location import FOLDER, NO_TEAM, level_places, levels_around, place_to_start
from store.backends.user_data import (
    is_in_user_data,
    keep_project,
    mine_memory,
    place_in_user_data,
    project_root,
)
from store.errors import Conflict
from store.model import Level
from store.platform.git_command import ask_git
from store.platform.read import read_bytes
from store.platform.write import make_folder, replace_durably
from store.settings.files import PROJECT_FILE, user_choice

SETTING = "memory_place"
"""The setting for the place where the memory of a project begins."""
_EXCLUDED = ("/.agentx/memory/", f"/.agentx/{PROJECT_FILE}", "/.agentx/state/clarifications/")
_MARK = "# memtui: memory of agents, not tracked"


class MemoryPlace(StrEnum):
    USER = "user"
    UNTRACKED = "untracked"
    TRACKED = "tracked"


def chosen_place(environ: Mapping[str, str] = os.environ) -> MemoryPlace | None:
    """Return the place that the user chose for memories that begin; None where none was chosen."""
    chosen = user_choice(SETTING, environ)
    return MemoryPlace(chosen) if chosen in list(MemoryPlace) else None


def memory_to_begin(start: Path, default: MemoryPlace = MemoryPlace.TRACKED) -> Path:
    """Return where the memory of a folder's project begins that has none: in the place that the
    user chose, else in `default`. Nothing is written.
    """
    return memory_at(start, chosen_place() or default)


def memory_at(start: Path, place: MemoryPlace) -> Path:
    """Return the folder of a project's memory in a place, whether or not there is one."""
    if place is MemoryPlace.USER:
        return place_in_user_data(place_to_start(start)).memory
    return place_to_start(start) / FOLDER


def prepare_place(start: Path, place: MemoryPlace) -> Path:
    """Have a project's memory begin in a place: found again there, and tracked by git or not.

    Returns its folder, which may still be to come. Raises `ReadOnly`, `WriteFailed`, `StoreError`.
    """
    root = place_to_start(start)
    if place is MemoryPlace.USER:
        kept = place_in_user_data(root)
        keep_project(kept, root)
        return kept.memory
    exclude(root, is_excluded=place is MemoryPlace.UNTRACKED)
    return root / FOLDER


def prepare_to_begin(memory: Path) -> None:
    """Have a project's memory that begins be found again, or left out of git, as the place that it
    is in asks for. Raises as `prepare_place`.
    """
    if memory.parts[-2:] != FOLDER.parts:
        return
    root = project_root(memory)
    if is_in_user_data(memory):
        if root != memory.parents[1]:
            prepare_place(root, MemoryPlace.USER)
    elif chosen_place() is MemoryPlace.UNTRACKED:
        prepare_place(root, MemoryPlace.UNTRACKED)


def level_alone(location: Location, memory: Path) -> Level:
    """Return the level of a project's memory that is open alone. Raises `Conflict` for one that was
    named, next to which no other begins.
    """
    places = level_places(project_root(memory)) if levels_around(location, memory) else {}
    own = [level for level in places if level is not Level.MINE]
    if not own:
        raise Conflict("A memory that is named is opened alone.", "Open it without --dir.")
    return own[0]


def begin_level(location: Location, memory: Path, level: Level) -> None:
    """Have a level of the user's begin next to a memory that is open alone. Raises `Conflict` where
    it is of that level, the team's, or a memory that was named; and as `prepare_place`.
    """
    root = project_root(memory)
    if level is level_alone(location, memory):
        raise Conflict(f"It is of the level {level} already.", "")
    if level is Level.TEAM:
        raise Conflict(*NO_TEAM)
    begin_files(mine_memory() if level is Level.MINE else prepare_place(root, MemoryPlace.USER))


def begin_files(memory: Path) -> None:
    """Have the files of a memory begin, so that it is found, and git can track it."""
    make_folder(memory)
    open_backend(memory).settle(())


def place_of(memory: Path) -> MemoryPlace:
    if is_in_user_data(memory):
        return MemoryPlace.USER
    ignored = ask_git(memory.parent, ["check-ignore", "-q", f"{memory.name}/issue-0.json"])
    return MemoryPlace.TRACKED if ignored is None else MemoryPlace.UNTRACKED


def exclude(root: Path, *, is_excluded: bool) -> None:
    """Have git leave memory out in this clone, by `.git/info/exclude`, or no longer."""
    output = ask_git(root, ["rev-parse", "--git-path", "info/exclude"])
    if output is None:
        return
    path = root / os.fsdecode(output).rstrip("\n")
    try:
        text = read_bytes(path, path.parent).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        text = ""
    ours = (_MARK, *_EXCLUDED)
    lines = text.splitlines(keepends=True)
    kept = [line for line in lines if line.rstrip("\r\n") not in ours]
    if is_excluded:
        if kept and not kept[-1].endswith("\n"):
            kept[-1] += "\n"
        kept += [f"{line}\n" for line in ours]
    if kept != lines:
        make_folder(path.parent)
        replace_durably(path, "".join(kept).encode("utf-8", "surrogateescape"), path.parent)
