from __future__ import annotations

from pathlib import Path

import pytest

from store.project import folders_of, project_of


def test_a_project_has_all_its_working_trees(tmp_path: Path) -> None:
    main, linked = tmp_path / "shop", tmp_path / "shop-login"
    (main / ".git" / "worktrees" / "login").mkdir(parents=True)
    (main / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (main / ".git" / "worktrees" / "login" / "gitdir").write_text(f"{linked}/.git\n")
    (main / ".git" / "worktrees" / "login" / "commondir").write_text("../..\n")
    (main / "src").mkdir()
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/login\n")
    assert folders_of(main / "src") == (main, linked)
    assert folders_of(linked) == (main, linked)


@pytest.mark.parametrize("folder", ["/gone", f"/{'a' * 300}/b", "/a\0b"])
def test_what_is_no_folder_is_in_no_project(folder: str) -> None:
    assert project_of(Path(folder)) is None


def test_a_folder_without_a_repository_is_its_own_project(tmp_path: Path) -> None:
    assert folders_of(tmp_path) == (tmp_path,)


ONE, OTHER = "a" * 40, "b" * 64


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
