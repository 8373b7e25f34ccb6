"""What git is told of a memory: planned, carried out, taken back, refused where it can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import StoreError, Unreadable, WriteFailed
from store.git.setup import (
    ATTRIBUTES,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from tests.store.factories import record, write_issue
from tests.store.repositories import Repository, repository


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    return repository(tmp_path / "project")


@pytest.fixture
def folder(git: Repository) -> Path:
    folder = git.root / ".agentx" / "memory"
    write_issue(folder, 29, record("a"))
    return folder


def test_outside_of_a_repository_nothing_is_planned(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is not in a git repository"):
        plan_git_install(tmp_path, "memtui")
    with pytest.raises(StoreError, match="is not in a git repository"):
        plan_git_uninstall(tmp_path)
    assert git_status(tmp_path).repository is None
    assert not git_status(tmp_path).is_offered


def test_an_installation_keeps_what_stands_and_adds_what_is_missing(
    git: Repository, folder: Path
) -> None:
    apply_git_plan(plan_git_install(folder, "memtui"))
    place = folder / ATTRIBUTES
    lines = place.read_text().splitlines()
    place.write_text("*.svg text\n" + "\n".join(lines[:-1]))
    plan = plan_git_install(folder, "memtui")
    assert plan.after == "*.svg text\n" + "\n".join(lines) + "\n"
    assert plan.settings == ()
    other = plan_git_install(folder, "other")
    assert [it.key for it in other.settings] == ["merge.memtui.driver", "diff.memtui.textconv"]
    assert "-merge.memtui.driver = memtui merge-file" in other.diff
    assert "this repository's configuration" in other.diff
    assert plan_git_uninstall(folder).after == "*.svg text\n"


def test_what_git_refuses_and_what_is_no_text_is_said(git: Repository, folder: Path) -> None:
    plan = plan_git_install(folder, "memtui")
    (git.root / ".git" / "config.lock").write_text("")
    with pytest.raises(WriteFailed, match=r"could not set merge\.memtui\.name") as raised:
        apply_git_plan(plan)
    assert raised.value.hint.startswith("Try `git config --local merge.memtui.name")
    (folder / ATTRIBUTES).write_bytes(b"\xff")
    with pytest.raises(Unreadable, match="is not a text file"):
        plan_git_uninstall(folder)


@pytest.mark.parametrize("for_user", [False, True])
def test_an_installation_that_is_taken_out_leaves_nothing(
    git: Repository, folder: Path, tmp_path: Path, for_user: bool
) -> None:
    place = tmp_path / "gitconfig" if for_user else git.root / ".git" / "config"
    with place.open("a") as config:
        config.write('[merge "other"]\n\tdriver = other %A\n')
    (folder / ATTRIBUTES).write_text("*.svg text\n")
    before = place.read_text()
    plan = plan_git_install(folder, "memtui", for_user=for_user)
    apply_git_plan(plan)
    assert place.read_text() != before
    taken_out = plan_git_uninstall(folder, for_user=for_user)
    assert [(it.key, it.before, it.after) for it in taken_out.settings] == [
        (it.key, it.after, it.before) for it in plan.settings
    ]
    assert len(plan.settings) == 3
    apply_git_plan(taken_out)
    assert "memtui" not in place.read_text()
    assert "driver = other %A" in place.read_text()
    assert (folder / ATTRIBUTES).read_text() == "*.svg text\n"
    assert plan_git_uninstall(folder, for_user=for_user).is_empty
