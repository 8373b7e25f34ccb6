"""Where things lie: caches, projects and their roots."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from store import open_memory
from store.backends.location import (
    named_by_environment,
    named_store,
    nearest_store,
    place_to_open,
)
from store.errors import NoMemory
from store.platform.project import (
    Project,
    folders_of,
    has_other_branches,
    has_run_elsewhere,
    project_of,
)
from tests.store.factories import observation
from tests.store.repositories import repository

COMMIT = "a" * 40


@pytest.mark.parametrize(
    ("mode", "theirs", "is_used"),
    [
        (0o1777, True, False),
        (0o1777, False, True),
        (0o1775, True, True),
        (0o777, True, True),
        (0o755, True, True),
    ],
)
def test_a_memory_that_a_stranger_could_put_there_is_not_used(
    tmp_path: Path, mode: int, theirs: bool, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "shared" / ".agentx" / "memory"
    memory.mkdir(parents=True)
    (tmp_path / "shared").chmod(mode)
    work = tmp_path / "shared" / "work"
    work.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: memory.stat().st_uid + theirs)
    if is_used:
        assert nearest_store(work) == memory
        return
    with pytest.raises(NoMemory) as told:
        nearest_store(work)
    assert told.value.message == (
        f"{memory} belongs to another user and anybody can write to its folder; it was not used."
    )
    assert told.value.hint == "If you trust it, set MEMTUI_DIR to it."


@pytest.mark.parametrize(
    ("files", "hint"),
    [
        ({"a.md": ""}, True),
        ({"notes/a.md": ""}, True),
        ({"a.txt": "", ".hidden/a.md": ""}, False),
        ({"a.txt": ""}, False),
        ({"notes/deep/a.md": ""}, False),
    ],
)
def test_a_folder_of_notes_is_offered_as_a_vault(
    tmp_path: Path, files: dict[str, str], hint: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(NoMemory) as told:
        named_by_environment(tmp_path, {"MEMTUI_DIR": str(tmp_path)})
    vault = f"; to open its Markdown as a vault, give vault://{tmp_path}" if hint else ""
    assert told.value.message == f"No memory found at {tmp_path}."
    assert told.value.hint == f"Give a project or its .agentx/memory folder{vault}."


@pytest.mark.parametrize(
    ("git", "common", "main"),
    [
        ("main/.git/worktrees/one", "../..", "main"),
        ("bare.git/worktrees/one", "../..", "work"),
        ("main/.git/modules/one", None, "work"),
        ("main/.git/worktrees/one", "gone/../../..", "main"),
    ],
)
def test_the_main_tree_of_a_linked_one(
    tmp_path: Path, git: str, common: str | None, main: str
) -> None:
    (tmp_path / git).mkdir(parents=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").write_text(f"gitdir: ../{git}\n")
    (tmp_path / git / "HEAD").write_text(f"{COMMIT}\n")
    if common is not None:
        (tmp_path / git / "commondir").write_text(f"{common}\n")
    found = project_of(tmp_path / "work")
    assert found is not None
    assert (found.root, found.main_root) == (tmp_path / "work", tmp_path / main)
    assert (found.branch, found.commit) == ("", COMMIT)
    assert found.origin == {"commit": COMMIT}


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        (".agentx/memory", ".agentx"),
        (".agentx/memory", ".agentx/memory"),
        (".agentx/memory", "."),
        (".memory", ".memory"),
        (".memory", "."),
    ],
)
def test_a_memory_of_which_a_stranger_has_either_folder_is_not_used(
    tmp_path: Path, name: str, theirs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name / ".vault").mkdir(parents=True)
    tmp_path.chmod(0o1777)
    look = Path.stat

    def of_a_stranger(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        info = look(path, follow_symlinks=follow_symlinks)
        own = os.geteuid() + (path == tmp_path / theirs)
        return os.stat_result((*info[:4], own, *info[5:]))

    monkeypatch.setattr(Path, "stat", of_a_stranger)
    if theirs == ".":
        assert nearest_store(tmp_path) == tmp_path / name
        return
    with pytest.raises(NoMemory, match="belongs to another user"):
        nearest_store(tmp_path)


def test_a_folder_to_be_a_memory_is_new_or_empty_or_in_a_project(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "issue-29.json").touch()
    (tmp_path / "project" / ".agentx" / "memory").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "README.txt").touch()
    (tmp_path / "file").touch()
    for name in ("new", "new/deep", "empty", "held"):
        assert place_to_open(tmp_path / name) == tmp_path / name
        assert place_to_open(str(tmp_path / name)) == tmp_path / name
    assert place_to_open(tmp_path / "project") == tmp_path / "project" / ".agentx" / "memory"
    assert place_to_open(tmp_path / "other") == tmp_path / "other" / ".agentx" / "memory"
    with pytest.raises(NoMemory, match="No memory found"):
        named_store(tmp_path / "other")
    with pytest.raises(NoMemory, match="No memory found"):
        place_to_open(tmp_path / "file")


def test_a_vault_beside_a_project_is_found_where_no_other_memory_is(tmp_path: Path) -> None:
    """AITEAM-X's program keeps its vault in `.memory`, at the project's root."""
    deep = tmp_path / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".memory").mkdir()
    assert nearest_store(deep) is None, "it is empty"
    (tmp_path / ".memory" / "cache.json").write_text("{}")
    (tmp_path / ".memory" / "notes.md").write_text("# Notes of another program\n")
    assert nearest_store(deep) is None, "it is another program's"
    (tmp_path / ".memory" / "_project.md").write_text("# Shop\n")
    assert nearest_store(deep) == named_store(tmp_path) == tmp_path / ".memory"
    (tmp_path / ".agentx" / "memory").mkdir(parents=True)
    assert nearest_store(deep) == named_store(tmp_path) == tmp_path / ".agentx" / "memory"


def test_a_vault_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "_project.md").write_text("# Shop\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / ".memory").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NoMemory, match="symbolic link"):
        nearest_store(tmp_path / "shop")


def test_a_program_opens_a_projects_memory_or_begins_one_there(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / "README.md").write_text("# Shop\n")
    with open_memory(project, cache=tmp_path / "cache") as memory:
        [identifier] = memory.store([observation("Chose SQLite")])
    assert (project / ".agentx" / "memory" / "issue-29.json").exists()
    with open_memory(project, cache=tmp_path / "cache") as memory:
        assert memory.get(identifier).content == "Chose SQLite"
    with pytest.raises(NoMemory, match="not a folder"):
        open_memory(project / "README.md")


# project


ONE, TWO, OTHER = "a" * 40, "c" * 40, "b" * 64


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """The main working tree of a repository, and a linked one beside it."""
    main, linked = tmp_path / "shop", tmp_path / "shop-login"
    (main / ".git" / "worktrees" / "login").mkdir(parents=True)
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (main / ".git" / "worktrees" / "login" / "HEAD").write_text("ref: refs/heads/login\n")
    (main / ".git" / "worktrees" / "login" / "gitdir").write_text(f"{linked}/.git\n")
    (main / ".git" / "worktrees" / "login" / "commondir").write_text("../..\n")
    (main / ".git" / "packed-refs").write_text(f"{ONE} refs/heads/login\n{TWO} refs/heads/main\n")
    (main / "src").mkdir()
    (linked / "src").mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/login\n")
    return main, linked


def test_a_project_has_all_its_working_trees(trees: tuple[Path, Path]) -> None:
    main, linked = trees
    for folder in (main, main / "src", linked, linked / "src"):
        assert folders_of(folder) == (main, linked)
    for name, pointer in (
        ("again", f"{linked}/.git"),
        ("broken", ""),
        ("near", "../../../wt/.git"),
    ):
        (main / ".git" / "worktrees" / name).mkdir()
        (main / ".git" / "worktrees" / name / "gitdir").write_text(pointer)
    found = folders_of(linked)
    assert found[:2] == (main, linked)
    assert [it.resolve() for it in found[2:]] == [main / "wt"]


def test_a_session_of_any_tree_of_the_repository_ran_in_the_memorys_project(
    trees: tuple[Path, Path], tmp_path: Path
) -> None:
    main, linked = trees
    other, plain = tmp_path / "other", tmp_path / "plain"
    (other / ".git").mkdir(parents=True)
    (plain / "below").mkdir(parents=True)
    memory = main / ".agentx" / "memory"
    ran = {
        str(it): has_run_elsewhere(str(it), memory) for it in (main / "src", linked, other, plain)
    }
    assert ran == {str(main / "src"): False, str(linked): False, str(other): True, str(plain): True}
    assert not has_run_elsewhere(str(plain), plain / ".agentx" / "memory")
    assert has_run_elsewhere(str(plain / "below"), plain / ".agentx" / "memory")
    assert not has_run_elsewhere("", memory)
    assert not has_run_elsewhere(str(tmp_path / "gone"), memory)


def test_a_tree_whose_repository_is_gone_is_a_project_without_a_branch(
    trees: tuple[Path, Path],
) -> None:
    main, linked = trees
    shutil.rmtree(main)
    assert project_of(linked / "src") == Project(linked, linked, "", "")
    assert folders_of(linked / "src") == (linked,)
    (linked / ".git").unlink()
    assert project_of(linked / "src") is None


@pytest.mark.parametrize(
    ("head", "files", "branch", "commit"),
    [
        (ONE, {}, "", ONE),
        (OTHER, {}, "", OTHER),
        (ONE[:39], {}, "", ""),
        ("ref: refs/heads/main", {"refs/heads/main": ONE}, "main", ONE),
        ("ref: refs/heads/a/b", {"refs/heads/a/b": ONE}, "a/b", ONE),
        ("ref: refs/heads/main", {"packed-refs": f"# pack\n{ONE} refs/heads/main\n"}, "main", ONE),
        ("ref: refs/heads/main", {"packed-refs": f"{ONE} refs/heads/maint\n"}, "main", ""),
        (
            "ref: refs/heads/main",
            {"packed-refs": f"{ONE} refs/original/refs/heads/main\n"},
            "main",
            "",
        ),
        (
            "ref: refs/heads/main",
            {"refs/heads/main": OTHER, "packed-refs": f"{ONE} refs/heads/main\n"},
            "main",
            OTHER,
        ),
        ("ref: refs/heads/main", {"refs/heads/main": "no commit"}, "main", ""),
        ("ref: refs/heads/main", {}, "main", ""),
        (
            "ref: refs/heads/../../../outside",
            {"refs/heads/main": OTHER, "../outside": ONE},
            "../../../outside",
            "",
        ),
        ("ref: other", {"other": ONE}, "", ""),
        ("", {}, "", ""),
    ],
)
def test_branch_and_commit_are_read_from_gits_own_files_and_no_other(
    tmp_path: Path, head: str, files: dict[str, str], branch: str, commit: str
) -> None:
    git = tmp_path / ".git"
    for name, text in {"HEAD": head, **files}.items():
        (git / name).parent.mkdir(parents=True, exist_ok=True)
        (git / name).write_text(text)
    found = project_of(tmp_path)
    assert found is not None
    assert (found.branch, found.commit) == (branch, commit)


@pytest.mark.parametrize("is_packed", [False, True])
def test_another_branch_is_found_without_git(tmp_path: Path, is_packed: bool) -> None:
    git = repository(tmp_path / "shop").commit("Begin")
    assert not has_other_branches(git.root / "src")
    git("branch", "waits/lock")
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    if is_packed:
        git("pack-refs", "--all")
    assert has_other_branches(git.root)
    assert has_other_branches(tmp_path / "tree")
    git("worktree", "remove", str(tmp_path / "tree"))
    git("branch", "-D", "waits/lock", "other")
    if is_packed:
        git("pack-refs", "--all")
    assert not has_other_branches(git.root)
    assert not has_other_branches(tmp_path)
    git("checkout", "-q", "--detach")
    assert has_other_branches(git.root)
