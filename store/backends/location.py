"""The place of a memory: the one named, or the nearest above the working directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from store.backends import Location, as_url, has_memory, is_url, package_of, shown_location
from store.backends.user_data import (
    MEMORY,
    is_ignored,
    is_tracked,
    kept_project,
    mine_memory,
    place_in_user_data,
    project_root,
)
from store.errors import NoMemory, StoreError, Unreadable
from store.model import Level
from store.platform.home import expanded
from store.platform.links import linked_root
from store.platform.project import Tree, tree_of

LEVELS = "levels://"
"""How the location of all levels of a project begins, before a folder of it."""
FOLDER = MEMORY
"""Where a project keeps its memory, below its root."""
VAULT = Path(".memory")
"""Where a project keeps a vault of Markdown, below its root."""
NO_TEAM = (
    "The team has no memory here yet.",
    "Begin one with `memtui init tracked`, then `git add .agentx`.",
)
"""What is wrong where the team's level is asked for and there is none, and what to do."""
_MOST_LOOKED_AT = 100
"""Names of a folder that are looked at for notes."""


def find_store(start: Path, environ: Mapping[str, str] = os.environ) -> Location:
    """Return the memory to open: the one that `MEMTUI_DIR` names, else that of the project, with
    all its levels where it has several.

    The same for hooks, commands and the app. `MEMTUI_DIR` may name the memory folder itself, a
    project that holds one, or a URL. Raises `NoMemory` where there is none.
    """
    found = named_by_environment(start, environ) or project_store(start, environ)
    if found is None:
        raise NoMemory(
            f"No memory found in {start.absolute()} or its parents.",
            "Start one with `memtui add`, or try `memtui demo`.",
        )
    return found


def named_by_environment(start: Path, environ: Mapping[str, str]) -> Location | None:
    """Return the memory that `MEMTUI_DIR` names, if any. Raises `NoMemory`."""
    chosen = environ.get("MEMTUI_DIR", "")
    return named_store(chosen, start) if chosen else None


def project_store(start: Path, environ: Mapping[str, str]) -> Location | None:
    """Return the memory of the project that a folder lies in: all its levels, where it has several.

    None where it has none of its own yet. Raises `NoMemory`, and `MemoryOff` where the user's
    settings turn it off here.
    """
    from store.backends.off import check_on  # not for a folder that is named

    check_on(start, environ)
    found = _found_of(start, environ)
    if not any(found):
        return None
    if mine_memory().is_dir():  # git is asked whose the others are by who opens them
        return levels_at(start)
    places = _by_level(found)
    is_alone = len(places) == 1 and not _has_one_to_begin(places, environ)
    return next(iter(places.values())) if is_alone else levels_at(start)


def _has_one_to_begin(places: Mapping[Level, Location], environ: Mapping[str, str]) -> bool:
    """Return whether what is added may go to a level that is still to begin. A vault takes all."""
    from store.settings.files import user_choice  # as above

    team = places.get(Level.TEAM)
    is_shared = isinstance(team, Path) and team.parts[-2:] == FOLDER.parts
    return is_shared or user_choice("capture_level", environ) not in {"", "usual"}


def levels_at(start: Path) -> str:
    """Return the location of all levels of the project that a folder lies in."""
    return f"{LEVELS}{start.absolute()}"


def levels_around(location: Location, memory: Path) -> str:
    """Return the location of all levels of the project of a memory that is open alone; empty for
    one that is no project's, or that was named by itself.
    """
    root = project_root(memory)
    try:
        return levels_at(root) if project_store(root, {}) in (None, location) else ""
    except StoreError:
        return ""


def level_places(start: Path) -> dict[Level, Location]:
    """Return where the levels are of the project that a folder lies in, as far as there are any.

    The team's is the database that the user's settings name, else what git tracks in the project.
    Beside one in the user's data folder that in the project is the team's unless git ignores it.
    Raises `NoMemory`.
    """
    found = _by_level(_found_of(start, os.environ))
    return {**found, Level.MINE: mine} if (mine := mine_memory()).is_dir() else found


class _Found(NamedTuple):
    """What there is of a project: the team's database, a memory in it, one in the user's data."""

    database: Location | None
    here: Path | None
    other: Path | None


def _found_of(start: Path, environ: Mapping[str, str]) -> _Found:
    from store.settings.files import user_choice  # as above

    database = user_choice("backend", environ)
    here = _in_project(start.absolute(), FOLDER)
    kept = kept_project(start.absolute(), asks_git=here is None)
    other = kept.memory if kept is not None and kept.memory.is_dir() else None
    here = here or (None if other else _in_project(start.absolute(), VAULT))
    return _Found(
        named_store(database, start) if database else None,
        None if here == mine_memory() else here,
        other,
    )


def _by_level(found: _Found) -> dict[Level, Location]:
    database, here, other = found
    levels: dict[Level, Location] = {Level.TEAM: database} if database is not None else {}
    if here is not None:
        is_shared = is_tracked(here) or (other is not None and not is_ignored(here))
        levels.setdefault(Level.TEAM if is_shared else Level.PROJECT, here)
    if other is not None:
        levels.setdefault(Level.PROJECT, other)
    return levels


def own_place(location: Location, level: Level | None = None) -> Location:
    """Return the place of a level, of several, where there is one of it, else of the one that has
    the log and the texts; what is given, where that is one memory. Raises `NoMemory`.
    """
    text = str(location)
    if not text.startswith(LEVELS):
        return location
    places = places_to_open(Path(text.removeprefix(LEVELS)))
    return places[level] if level in places else next(iter(places.values()))


def places_to_open(start: Path) -> dict[Level, Location]:
    """Return where the levels are of the project that a folder lies in, or where they begin, the
    one first that has the log and the texts: the project's own, unless all that there is of it are
    files that git tracks, next to which it ignores those. Raises `NoMemory`.
    """
    found = level_places(start)
    is_shared = isinstance(found.get(Level.TEAM), Path) and Level.PROJECT not in found
    found.setdefault(Level.PROJECT, place_in_user_data(place_to_start(start)).memory)
    found.setdefault(Level.MINE, mine_memory())
    first = Level.TEAM if is_shared else Level.PROJECT
    return {level: found[level] for level in sorted(found, key=lambda level: level != first)}


def of_project(url: str, start: Path) -> str:
    """Add the project of a folder to the URL of a database that keeps several projects."""
    try:
        package = package_of(url)
    except NoMemory:
        return url  # whoever opens it reports that nothing can
    complete: Callable[[str, Path], str] | None = getattr(package, "of_project", None)
    return url if complete is None else complete(url, start)


def nearest_store(start: Path) -> Path | None:
    """Return the nearest memory from a folder up to the root of its git repository, else the one
    that is kept of the project in the user's data folder, else the nearest vault in a `.memory`.

    In a linked worktree it is that of the main checkout, which all worktrees share, unless git
    tracks memory: then each worktree has its own. Raises `NoMemory` where it is a link, or another
    user's in a folder such as `/tmp`.
    """
    return begun_store(start) or _in_project(start.absolute(), VAULT)


def begun_store(start: Path) -> Path | None:
    """Return what `nearest_store` does, but no vault. Raises `NoMemory`."""
    return _in_project(start.absolute(), FOLDER) or _kept_of(start.absolute())


def _kept_of(folder: Path) -> Path | None:
    """Return the memory in the user's data folder of the project that a folder lies in, if any."""
    kept = kept_project(folder)
    return kept.memory if kept is not None and kept.memory.is_dir() else None


def _in_project(start: Path, name: Path) -> Path | None:
    project = tree_of(start)
    for place in (start, *start.parents):
        if project is None or project.root == project.main_root:
            found = place / name
        else:
            found = _of_worktree(place, project, name)
        if found.is_dir() if name == FOLDER else _is_found_vault(found):
            return _not_planted(not_linked(found), name)
        if project is not None and place == project.root:
            return None
    return None


def _is_found_vault(folder: Path) -> bool:
    """Return whether a `.memory` that nobody named is a vault: other programs call theirs so."""
    return folder.is_dir() and bool(package_of("vault://").has_vault_files(folder))


def place_to_start(start: Path) -> Path:
    """Return the project folder in which a memory begins where there is none: the root of its
    repository, of the main checkout where all worktrees are to share it, else the folder itself.
    """
    project = tree_of(start.absolute())
    if project is None:
        return start.absolute()
    if project.root == project.main_root:
        return project.root
    return _of_worktree(project.root, project, FOLDER).parents[1]


def _of_worktree(place: Path, project: Tree, name: Path) -> Path:
    """Return the memory of a folder in a linked worktree: its own, or that of the main checkout."""
    own = place / name
    shared = project.main_root / place.relative_to(project.root) / name
    return own if any(map(is_tracked, (own, shared))) else shared


def named_store(location: Location, start: Path | None = None) -> Location:
    """Return the memory that a location names: a URL's, or that of a folder.

    The project of a database is by default that of `start`, the working directory.
    """
    if is_url(location):
        return of_project(as_url(location), start or Path.cwd())
    return _named_folder(Path(location))


def place_to_open(location: Location) -> Location:
    """Return where a memory is kept that is asked for by its path, its project's or its URL.

    A folder that does not exist yet, or is empty, is to become one; in one with other things, a
    project, it is to begin in `.agentx/memory`. Raises `NoMemory`.
    """
    if is_url(location):
        return named_store(location)
    given = expanded(location).absolute()
    try:
        is_new = not given.exists() or (given.is_dir() and not any(given.iterdir()))
    except OSError as error:
        raise Unreadable(
            f"The folder {given} can't be listed: {error.strerror}.", "Check its permissions."
        ) from error
    return not_linked(given) if is_new else _named_folder(given, begins=True)


def _named_folder(path: Path, *, begins: bool = False) -> Path:
    """Return the memory folder a path names: itself, a vault or not, the `.agentx/memory` inside
    it, that of the project in the user's data folder, or the vault inside it; else, where a memory
    `begins` there, the `.agentx/memory` to be.

    Raises `NoMemory` where the path is no folder, an empty one, or one of other things: what memory
    writes beside its issues (a manifest, a .gitignore) would take the place of theirs.
    """
    path = expanded(path).absolute()
    if (path / FOLDER).is_dir():
        return not_linked(path / FOLDER)
    if not path.is_dir():
        why = ": not a folder"
    elif path.parts[-2:] == FOLDER.parts or has_memory(path):
        return not_linked(path)
    elif place_to_start(path) == path and (kept := _kept_of(path)):
        return kept
    elif _is_found_vault(path / VAULT):
        return not_linked(path / VAULT)
    elif begins and path.name != FOLDER.parts[0]:
        return not_linked(path / FOLDER)
    else:
        why = ""
    hint = "Give a project or its .agentx/memory folder"
    if not why and _has_notes(path):
        hint += f"; to open its Markdown as a vault, give {shown_location(f'vault://{path}')}"
    raise NoMemory(f"No memory found at {shown_location(path)}{why}.", f"{hint}.")


def _has_notes(path: Path) -> bool:
    """Return whether a folder has Markdown in it, or one level below."""
    try:
        names = list(islice(path.iterdir(), _MOST_LOOKED_AT))
        places = (path, *(item for item in names if item.name[0] != "." and item.is_dir()))
        found = (one.name for place in places for one in islice(place.iterdir(), _MOST_LOOKED_AT))
        return any(name.endswith(".md") for name in found)
    except OSError:
        return False


def _not_planted(path: Path, name: Path) -> Path:
    """Return the memory folder, which ends in a name, or `NoMemory` where somebody else put it
    where anybody may put one.

    Whoever works below would read what a stranger wrote.
    """
    *folders, place = (path, *path.parents)[: len(name.parts) + 1]
    theirs = any(folder.stat().st_uid != os.geteuid() for folder in folders)
    if theirs and place.stat().st_mode & stat.S_ISVTX and place.stat().st_mode & stat.S_IWOTH:
        raise NoMemory(
            f"{path} belongs to another user and anybody can write to its folder; it was not used.",
            "If you trust it, set MEMTUI_DIR to it.",
        )
    return path


def not_linked(path: Path) -> Path:
    """Return the memory folder, or `NoMemory` where a project's leads elsewhere by a link.

    A clone may bring such a link, and memory would be written where it leads.
    """
    if link := linked_root(path):
        raise NoMemory(
            f"{link} is a symbolic link, which is not followed.",
            "To use its target, set MEMTUI_DIR to that folder.",
        )
    return path
