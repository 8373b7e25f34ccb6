from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store.platform.project import Project, folders_of, has_run_elsewhere, project_of

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
