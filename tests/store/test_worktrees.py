"""One rule for hooks, commands and the app: which memory a folder of a repository has."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.hooks.session import memory_of, memory_to_start
from store.backends.location import FOLDER, find_store, nearest_store, place_to_start
from store.errors import NoMemory
from tests.store.factories import make_store, observation, record, write_issue
from tests.store.repositories import Repository, repository


@pytest.fixture
def git(tmp_path: Path) -> Repository:
    return repository(tmp_path / "main").commit("start")


def worktree(git: Repository, name: str = "tree") -> Path:
    path = git.root.parent / name
    git("worktree", "add", "-q", "-b", name, str(path))
    (path / "src").mkdir()
    return path


def found(folder: Path) -> Path | None:
    """What all faces find, which is the same."""
    nearest = nearest_store(folder)
    assert memory_of(folder, {}) == nearest
    if nearest is None:
        with pytest.raises(NoMemory):
            find_store(folder, {})
    else:
        assert find_store(folder, {}) == nearest
    return nearest


def test_all_worktrees_share_what_git_does_not_track(git: Repository) -> None:
    make_store(git.root).store([observation()])
    tree = worktree(git)
    for folder in (git.root, tree, tree / "src"):
        assert found(folder) == git.root / FOLDER
    assert place_to_start(tree / "src") == git.root


def test_an_untracked_memory_of_a_worktree_gives_way(git: Repository) -> None:
    make_store(git.root).store([observation()])
    tree = worktree(git)
    write_issue(tree / FOLDER, 29, record())
    assert found(tree) == git.root / FOLDER


def test_each_worktree_has_its_own_where_git_tracks_it(git: Repository) -> None:
    write_issue(git.root / FOLDER, 29, record())
    git.commit("memory")
    tree = worktree(git)
    assert found(tree / "src") == tree / FOLDER
    assert found(git.root) == git.root / FOLDER


def test_a_worktree_of_a_branch_without_memory_does_not_use_another_branchs(
    git: Repository,
) -> None:
    tree = worktree(git)
    write_issue(git.root / FOLDER, 29, record())
    git.commit("memory")
    assert found(tree) is None
    assert place_to_start(tree) == tree
    assert memory_to_start(tree / "src", Path("/home/user")) == tree / FOLDER


def test_a_package_of_its_own_keeps_its_memory_in_every_worktree(git: Repository) -> None:
    make_store(git.root / "package").store([observation()])
    make_store(git.root).store([observation()])
    tree = worktree(git)
    (tree / "package" / "src").mkdir(parents=True)
    assert found(tree / "package" / "src") == git.root / "package" / FOLDER
    assert found(tree) == git.root / FOLDER


def test_memory_above_a_repository_is_not_its_own(git: Repository) -> None:
    make_store(git.root.parent).store([observation()])
    assert found(git.root) is None
    assert found(git.root.parent) == git.root.parent / FOLDER


def test_a_memory_begins_at_the_root_of_its_repository(git: Repository, tmp_path: Path) -> None:
    (git.root / "src").mkdir()
    assert place_to_start(git.root / "src") == git.root
    assert place_to_start(tmp_path) == tmp_path
