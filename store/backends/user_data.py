"""Memories in the user's data folder: of projects, `projects/NAME-DIGEST/.agentx/memory`, and the
user's own, `mine/.agentx/memory`.

`project.json` next to a project's names whose it is: the folders that the project was seen in, the
addresses of its remotes, its first commits, and marks of the repositories on this machine. By any
of these it is found again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from store.platform.bounds import load_json, read_regular
from store.platform.git_command import ask_git
from store.platform.home import is_nowhere, user_folder
from store.platform.json_fields import mapping, string, strings
from store.platform.links import is_folder, real_path
from store.platform.project import project_of, remotes_of, repository_mark, tree_of

MEMORY = Path(".agentx") / "memory"
"""Where a project keeps its memory, below its root, and a folder of the user's data too."""
_ABOUT = "project.json"
_VERSION = 1
_UNTITLED = "project"
_SECONDS = 2.0
"""Seconds after which git is no longer waited for: hooks have few."""


class KeptProject(NamedTuple):
    """A project whose memory is in the user's data folder, as far as it is known.

    `key` names it on all machines that the memory is synced with.
    """

    place: Path
    folders: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    first_commits: tuple[str, ...] = ()
    key: str = ""
    repositories: tuple[str, ...] = ()

    @property
    def memory(self) -> Path:
        return self.place / MEMORY


def projects_folder() -> Path:
    return user_folder("data") / "projects"


def mine_memory() -> Path:
    """Return the folder of the user's own memory, which holds in all projects."""
    return user_folder("data") / "mine" / MEMORY


def everywhere_folder() -> Path:
    """Return where the sessions of all projects are kept for search: derived, in the cache."""
    return user_folder("cache") / "everywhere"


def project_root(memory: Path) -> Path:
    """Return the root of the project that a memory belongs to: what holds its `.agentx/memory`,
    else its parent. Of one in the user's data folder, the project's folder: that of the working
    directory where it is one of several.
    """
    if memory.parts[-2:] != MEMORY.parts:
        return memory.parent
    place = memory.parents[1]
    if place.parent != projects_folder():
        return place
    kept = _kept_at(place)
    there = [
        folder
        for folder in map(Path, kept.folders)
        if is_folder(folder) and not _is_another(kept, folder)
    ]
    here = _root_of(Path.cwd())
    if not any(here.is_relative_to(item) for item in there):
        found = place_in_user_data(here)
        if found.place != place:
            return next(iter(there), place)
        there += map(Path, found.folders)
    return next((one for one in there if here.is_relative_to(one)), here)


def _root_of(folder: Path) -> Path:
    tree = tree_of(folder)
    return tree.main_root if tree else folder


def other_place(memory: Path) -> Path | None:
    """Return where a project's memory is, in the project or in the user's data folder, when
    `memory` is its place in the other one.
    """
    if memory.parts[-2:] != MEMORY.parts:
        return None
    if is_in_user_data(memory):
        folders = _kept_at(memory.parents[1]).folders
        places = [Path(folder) / MEMORY for folder in folders]
    else:
        roots = {str(memory.parents[1]), str(real_path(memory.parents[1]))}
        kept = kept_project(memory.parents[1], asks_git=False)
        places = [kept.memory] if kept and not roots.isdisjoint(kept.folders) else []
    return next((place for place in places if place.is_dir()), None)


def is_in_user_data(memory: Path) -> bool:
    """Return whether a memory is in the user's data folder: one of a project, or the user's own."""
    if memory.parts[-2:] != MEMORY.parts:
        return False
    return memory.parents[2] == projects_folder() or memory == mine_memory()


def is_tracked(memory: Path) -> bool:
    """Return whether git tracks a memory folder, or anything in it."""
    if not memory.is_dir() or tree_of(memory) is None:
        return False
    return bool(ask_git(memory, ["ls-files", "-z", "--", "."]))


def is_ignored(memory: Path) -> bool:
    """Return whether git leaves a memory out, or there is no repository around it."""
    if tree_of(memory) is None:
        return True
    asked = ["check-ignore", "-q", f"{memory.name}/issue-0.json"]
    return ask_git(memory.parent, asked) is not None


def kept_project(start: Path, *, asks_git: bool = True) -> KeptProject | None:
    """Return what is kept in the user's data folder of the project that a folder lies in, if
    anything.

    By its repository; else by its path, unless another repository is there now; else by a remote,
    unless both have first commits and share none; else by a first commit, unless both have remotes
    and share none. Remotes and first commits are not looked for elsewhere where git is not asked.
    """
    tree = tree_of(start)
    root = tree.main_root if tree else start
    places = (root,) if tree else (root, *root.parents)
    found = list(kept_projects())
    for place in places:  # whose it is may be lost: it is named after the folder
        begun = KeptProject(_new_place(place, found), (str(place),))
        if begun.memory.is_dir():
            return begun
    mark = repository_mark(root) if tree else ""
    for kept in found:
        if mark and mark in kept.repositories:
            return kept
    for place in places:
        for kept in found:
            is_here = str(place) in kept.folders or str(real_path(place)) in kept.folders
            if is_here and not _is_another(kept, place):
                return kept
    if tree is None or not asks_git:
        return None
    remotes = remotes_of(root)
    for kept in found:
        others = frozenset(kept.remotes)
        if remotes & others:
            if not kept.first_commits or _has_any(root, kept.first_commits):
                return kept
        elif not (remotes and others) and _has_any(root, kept.first_commits):
            return kept
    return None


def place_in_user_data(start: Path) -> KeptProject:
    """Return the place of a project's memory in the user's data folder, there or yet to begin."""
    return kept_project(start) or KeptProject(_new_place(_root_of(start), list(kept_projects())))


def _is_another(kept: KeptProject, root: Path) -> bool:
    """Return whether the repository at a project's path, if any, is another one: it has neither a
    known mark, nor any of the known remotes and first commits.
    """
    known = kept.first_commits
    if not known or repository_mark(root) in kept.repositories:
        return False
    tree = project_of(root)
    if tree is None or not remotes_of(root).isdisjoint(kept.remotes):
        return False
    first = _first_commits(root)
    has_answered = bool(first) or not tree.commit
    return has_answered and set(known).isdisjoint(first)


def _new_place(root: Path, others: Sequence[KeptProject]) -> Path:
    """Return a place named after a project's path that no other project has."""
    name = re.sub(r"[^\w.-]+", "-", root.name).strip("-.")[:40] or _UNTITLED
    digest = sha256(os.fsencode(real_path(root))).hexdigest()[:8]
    names = (f"{name}-{digest}", *(f"{name}-{digest}-{at}" for at in range(2, len(others) + 2)))
    taken = {kept.place for kept in others}
    return next(place for name in names if (place := projects_folder() / name) not in taken)


def keep_project(kept: KeptProject, start: Path) -> None:
    """Write whose the memory in a place is, with what is known of the project now. Its folder is
    no longer another project's.

    Raises `ReadOnly`, `WriteFailed`, `StoreError`.
    """
    tree = tree_of(start)
    root = tree.main_root if tree else start
    first = _first_commits(root) if tree else ()
    now = kept._replace(
        folders=tuple(dict.fromkeys((str(root), *kept.folders))),
        remotes=tuple(sorted({*kept.remotes, *(remotes_of(root) if tree else ())})),
        first_commits=tuple(dict.fromkeys((*kept.first_commits, *first))),
        repositories=tuple(sorted({*kept.repositories, *filter(None, (repository_mark(root),))})),
    )
    for other in list(kept_projects()):
        if other.place != kept.place and str(root) in other.folders:
            folders = tuple(folder for folder in other.folders if folder != str(root))
            write_project(other._replace(folders=folders))
    if now != kept or not (kept.place / _ABOUT).exists():
        write_project(now)


def renew_project(root: Path) -> None:
    """Write what is known of a project in the user's data folder now, where that lacks by what it
    is found again without git. Raises as `keep_project`.
    """
    kept = kept_project(root)
    if kept and not (kept.first_commits and repository_mark(root) in kept.repositories):
        folders = map(Path, kept.folders)
        keep_project(kept, next((one for one in folders if root.is_relative_to(one)), root))


def write_project(kept: KeptProject) -> None:
    """Write what is known of a project into its place. Raises as `keep_project`."""
    from store.platform.write import make_private, replace_durably, write_error  # only for new ones

    about = {
        "version": _VERSION,
        "folders": list(kept.folders),
        "remotes": list(kept.remotes),
        "firstCommits": list(kept.first_commits),
        **({"key": kept.key} if kept.key else {}),
        **({"repositories": list(kept.repositories)} if kept.repositories else {}),
    }
    try:
        make_private(kept.place)
    except OSError as error:
        raise write_error(kept.place, error) from error
    text = json.dumps(about, indent=2, ensure_ascii=False)
    replace_durably(kept.place / _ABOUT, f"{text}\n".encode(), kept.place)


def kept_projects() -> Iterator[KeptProject]:
    """The projects whose memory is in the user's data folder, or was, or came from elsewhere."""
    folder = projects_folder()
    if is_nowhere(folder):
        return
    try:
        places = sorted(folder.iterdir())
    except OSError:
        return
    for place in places:
        kept = _kept_at(place)
        if any(kept[1:]):
            yield kept


def _kept_at(place: Path) -> KeptProject:
    """Read which project a folder is for; nothing is known where that can't be read."""
    try:
        about = mapping(load_json(read_regular(place / _ABOUT)))
    except (OSError, ValueError):
        return KeptProject(place)
    return KeptProject(
        place,
        strings(about.get("folders")),
        strings(about.get("remotes")),
        strings(about.get("firstCommits")),
        string(about.get("key")),
        strings(about.get("repositories")),
    )


def _first_commits(root: Path) -> tuple[str, ...]:
    output = ask_git(root, ["rev-list", "--max-parents=0", "HEAD"], seconds=_SECONDS)
    return tuple((output or b"").decode("ascii", "replace").split())


def _has_any(root: Path, commits: tuple[str, ...]) -> bool:
    return bool(commits) and not {*commits}.isdisjoint(_first_commits(root))
