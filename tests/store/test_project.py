from __future__ import annotations

from pathlib import Path

from store.project import folders_of


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


def test_a_folder_without_a_repository_is_its_own_project(tmp_path: Path) -> None:
    assert folders_of(tmp_path) == (tmp_path,)
