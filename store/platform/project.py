"""The project a folder belongs to: its git working tree, and the others of its repository.

Everything is read from git's own files: no program is started for it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from store.platform.bounds import read_regular
from store.platform.links import is_file, is_folder, real_path

_HEADS = "refs/heads"
_REFERENCE = f"ref: {_HEADS}/"
_GITDIR = "gitdir:"
_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.M)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)


class Project(NamedTuple):
    """A git working tree: its root, the root of its main working tree, and its branch.

    `commit` is what the branch is at, empty where nothing was committed or it can't be read.
    """

    root: Path
    main_root: Path
    branch: str
    commit: str = ""

    @property
    def origin(self) -> dict[str, str]:
        """Origin of a memory that is stored now, as keys of its record."""
        return {
            key: value for key, value in (("branch", self.branch), ("commit", self.commit)) if value
        }


class Tree(NamedTuple):
    """A working tree, the main one of its repository, and the folder in which git keeps it."""

    root: Path
    main_root: Path
    git_folder: Path


def project_of(folder: Path) -> Project | None:
    """The git working tree that `folder` lies in, or None. Folders that are gone are no error."""
    tree = tree_of(folder)
    if tree is None:
        return None
    return Project(tree.root, tree.main_root, _branch(tree.git_folder), _commit(tree.git_folder))


def tree_of(folder: Path) -> Tree | None:
    """The working tree that `folder` lies in, or None: nothing is read of what is checked out."""
    for place in (folder, *folder.parents):
        dot_git = place / ".git"
        if is_folder(dot_git):
            return Tree(place, place, dot_git)
        if is_file(dot_git):
            git_folder = _linked(dot_git)
            if git_folder is not None:
                return Tree(place, _main_root(git_folder, place), git_folder)
    return None


def has_run_elsewhere(folder: str, root: Path) -> bool:
    """Return whether a session that ran in a folder ran in another project than the one at `root`.

    Of a folder that is gone nothing is known.
    """
    ran = Path(folder)
    if not folder or not is_folder(ran):
        return False
    project = project_of(ran)
    return not root.is_relative_to(project.main_root if project else ran)


def folders_of(folder: Path) -> tuple[Path, ...]:
    """Return the working trees of the repository that `folder` lies in, the main one first.

    Trees that were removed are among them while git still knows them. Without a repository, the
    folder alone.
    """
    tree = tree_of(folder)
    if tree is None:
        return (folder,)
    trees = [tree.main_root, tree.root]
    pointers = sorted(tree.main_root.glob(".git/worktrees/*/gitdir"))
    trees += [(pointer.parent / named).parent for pointer in pointers if (named := _read(pointer))]
    return tuple(dict.fromkeys(trees))


def remotes_of(root: Path) -> frozenset[str]:
    """Return the addresses of a repository's remotes, by git's own file: `host/owner/name`."""
    return frozenset(
        filter(None, map(plain_address, _URL.findall(_read(root / ".git" / "config"))))
    )


def plain_address(url: str) -> str:
    """Return an address as host and path, however it is reached: `github.com/someone/shop`."""
    without = re.sub(r"^(?:\w+://)?(?:[^@/]+@)?", "", url.strip()).replace(":", "/", 1)
    return without.removesuffix("/").removesuffix(".git").casefold()


def repository_mark(root: Path) -> str:
    """Return what tells a repository on this machine from any made later in its place, also where
    it was moved: the number of its git folder, and when git wrote the description there, which is
    once. Empty where that can't be read.
    """
    tree = tree_of(root)
    if tree is None:
        return ""
    shared = tree.git_folder / _read(tree.git_folder / "commondir")
    try:
        return f"{shared.stat().st_ino}-{(shared / 'description').stat().st_mtime_ns}"
    except OSError:
        return ""


def has_other_branches(folder: Path) -> bool:
    """Return whether the repository that `folder` lies in has a branch that is not checked out
    there, by git's own files.
    """
    tree = tree_of(folder)
    if tree is None:
        return False
    shared = tree.git_folder / _read(tree.git_folder / "commondir")
    if (shared / "reftable").exists():
        return True  # which git alone can read
    packed = (line.partition(" ")[2] for line in _read(shared / "packed-refs").splitlines())
    loose = (
        os.path.relpath(f"{place}/{name}", shared)
        for place, _, names in os.walk(shared / _HEADS)
        for name in names
    )
    here = f"{_HEADS}/{_branch(tree.git_folder)}"
    return any(name.startswith(f"{_HEADS}/") and name != here for name in (*packed, *loose))


def trees_stamp(folder: Path) -> object:
    """Return what changes where git adds or removes a working tree of the repository that `folder`
    lies in; None without a repository.
    """
    tree = tree_of(folder)
    if tree is None:
        return None
    try:
        return tree.root, (tree.main_root / ".git" / "worktrees").stat().st_mtime_ns
    except OSError:
        return tree.root, 0


def _linked(dot_git: Path) -> Path | None:
    """Return the git folder that a worktree's or submodule's `.git` file points to."""
    text = _read(dot_git)
    if not text.startswith(_GITDIR):
        return None
    return real_path(dot_git.parent / text.removeprefix(_GITDIR).strip())


def _main_root(git_folder: Path, root: Path) -> Path:
    """Return the main working tree's root for a linked worktree; a submodule is its own."""
    common = _read(git_folder / "commondir")
    if not common:
        return root
    shared = real_path(git_folder / common)
    return shared.parent if shared.name == ".git" else root


def _branch(git_folder: Path) -> str:
    head = _read(git_folder / "HEAD")
    return head.removeprefix(_REFERENCE) if head.startswith(_REFERENCE) else ""


def _commit(git_folder: Path) -> str:
    """The commit that HEAD is at: its own, that of its branch's file, or of the packed ones."""
    head = _read(git_folder / "HEAD")
    if not head.startswith("ref: "):
        return head if _COMMIT.fullmatch(head) else ""
    name = head.removeprefix("ref: ")
    if ".." in name or not name.startswith("refs/"):
        return ""
    common = _read(git_folder / "commondir")
    shared = real_path(git_folder / common) if common else git_folder
    loose = _read(shared / name)
    if not loose:
        packed = (line.partition(" ") for line in _read(shared / "packed-refs").splitlines())
        loose = next((commit for commit, _, ref in packed if ref == name), "")
    return loose if _COMMIT.fullmatch(loose) else ""


def _read(path: Path) -> str:
    try:
        return read_regular(path).decode("utf-8", "replace").strip()
    except OSError:
        return ""
