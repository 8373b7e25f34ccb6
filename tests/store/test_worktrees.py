"""One rule for hooks, commands and the app: which memory a folder of a repository has."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.hooks.call import memory_of, memory_to_start
from memtui.hooks.next_session import next_session
from store import open_memory
from store.backends.location import FOLDER, find_store, nearest_store, place_to_start
from store.errors import NoMemory
from tests.store.factories import make_memory, make_store, observation, record, write_issue
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


IN_PROJECT = {"MEMTUI_MEMORY_PLACE": "tracked"}


def test_worktree_of_a_branch_without_memory(git: Repository) -> None:
    tree = worktree(git)
    write_issue(git.root / FOLDER, 29, record())
    git.commit("memory")
    assert found(tree) is None
    assert place_to_start(tree) == tree
    assert memory_to_start(tree / "src", Path("/home/user"), IN_PROJECT) == tree / FOLDER


def test_a_package_of_its_own_keeps_its_memory_in_every_worktree(git: Repository) -> None:
    make_store(git.root / "package").store([observation()])
    make_store(git.root).store([observation()])
    tree = worktree(git)
    (tree / "package" / "src").mkdir(parents=True)
    assert found(tree / "package" / "src") == git.root / "package" / FOLDER
    assert found(tree) == git.root / FOLDER


def test_memories_of_an_unmerged_branch(git: Repository, tmp_path: Path) -> None:
    git("branch", "merged")("checkout", "-qb", "other").commit("work")
    git("checkout", "-q", "main")
    with make_memory(tmp_path) as memory:
        for branch in ("other", "merged", "main"):
            memory.store(
                [
                    observation(
                        f"Learned of the lock: it waits on {branch}",
                        agent=branch,
                        extra={"branch": branch},
                        session_id=branch,
                    )
                ]
            )
        request = next_session("claude-code", git.root, {}).request
        assert request.unmerged == ("other",)
        assert "waits on other" not in memory.recall.plan(request).text
        asked = request._replace(task="What have we learned of the lock?", at_start=False)
        told = memory.recall.plan(asked)
        assert "(on branch other, not merged) Learned of the lock: it waits on other" in told.text
        assert told.text.count("not merged") == 1
        write_issue(git.root / FOLDER, 29, record())
        git("add", "-A")
        assert next_session("claude-code", git.root, {}).request.unmerged == ()
        git("rm", "-q", "-r", "--cached", ".agentx")("merge", "-q", "--ff-only", "other")
        unmerged = next_session("claude-code", git.root, {}).request.unmerged
        told = memory.recall.plan(asked._replace(unmerged=unmerged))
        assert "Learned of the lock: it waits on other" in told.text
        assert "not merged" not in told.text


def test_switching_branches_under_an_open_memory_loses_nothing(git: Repository) -> None:
    with open_memory(git.root / FOLDER, cache=git.root.parent / "cache") as memory:
        memory.store([observation("On every branch")])
        memory.index.settle()
        git.commit("memory")("checkout", "-qb", "other")
        memory.store([observation("Learned on other")])
        git.commit("other")("checkout", "-q", "main")
        memory.index.refresh()
        assert memory.search("").total == 1
        memory.store([observation("Learned on main")])
        git.commit("main")("checkout", "-q", "other")
        memory.index.refresh()
        assert {hit.entry.summary for hit in memory.search("").hits} == {
            "On every branch",
            "Learned on other",
        }
        git("checkout", "-q", "main")
        memory.index.refresh()
        assert {hit.entry.summary for hit in memory.search("").hits} == {
            "On every branch",
            "Learned on main",
        }
