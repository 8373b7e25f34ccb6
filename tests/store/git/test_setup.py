"""Git: a memory set up in a repository, and what a diff says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import InvalidObservation, StoreError, Unreadable, WriteFailed
from store.git.diff import contents_in_words, diff_memory
from store.git.setup import (
    ATTRIBUTES,
    apply_git_plan,
    git_status,
    plan_git_install,
    plan_git_uninstall,
)
from store.merge.changes import MemoryDiff
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


# What changed in a memory, by git: between two commits, since one, on a branch of its own.


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Three commits on `main`: a; a and b, which is in the archive, too, so that the issue file
    wins; b archived; and `other`, which left after the first.
    """
    git = repository(tmp_path_factory.mktemp("git") / "project")
    changed = git.root / ".agentx" / "memory"
    write_issue(changed, 29, record("a"))
    git.commit("one")
    git("branch", "other")
    write_issue(changed, 29, record("a"), record("b", tokens=5))
    write_issue(changed, 29, record("b", tokens=5), archived=True)
    git.commit("two")
    write_issue(changed, 29, record("a", content="Edited"))
    git.commit("three")
    git("checkout", "-q", "other")
    write_issue(changed, 30, record("c", issueNumber=30, content=f"The key is {SECRET}."))
    git.commit("four")
    git("checkout", "-q", "main")
    return git


@pytest.fixture
def changed(made: Repository) -> Path:
    return made.root / ".agentx" / "memory"


def _told(found: MemoryDiff) -> list[tuple[str, str]]:
    return [(str(it.what), it.id) for it in found.changes]


def test_two_dots_compare_ends_and_three_begin_where_the_two_parted(changed: Path) -> None:
    assert _told(diff_memory(changed, "main...other")) == [("added", "c")]
    two = _told(diff_memory(changed, "main..other"))
    assert two == [("added", "c"), ("edited", "a"), ("removed", "b")]


def test_what_it_tells_is_clean(changed: Path) -> None:
    (added,) = diff_memory(changed, "main...other").changes
    assert added.before is None
    assert added.after is not None
    assert added.after.issue == 30
    assert SECRET not in str(added)
    assert str(added.after.record["content"]).startswith("The key is ")
    (gone,) = diff_memory(changed, "other..other~1").changes
    assert SECRET not in str(gone)


def test_a_commit_that_is_none_and_a_folder_without_git_are_said(
    changed: Path, tmp_path: Path
) -> None:
    for range_ in ("nowhere", "main..nowhere", "--output=x", "main:.agentx"):
        with pytest.raises(InvalidObservation, match="is not a commit here"):
            diff_memory(changed, range_)
    with pytest.raises(StoreError, match="is not in a git repository"):
        diff_memory(tmp_path)


def test_what_cannot_be_read_here_is_not_told_as_removed(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    changed = git.root / ".agentx" / "memory"
    broken = write_issue(changed, 29, record("a"), record("b"))
    write_issue(changed, 30, record("c", issueNumber=30))
    git.commit("one")
    broken.write_text("{")
    write_issue(changed, 30, record("d", issueNumber=30))
    found = _told(diff_memory(changed, "HEAD"))
    assert found == [("added", "d"), ("removed", "c")]


def test_marks_tags_and_other_versions_are_told_without_secrets() -> None:
    one = record("a", pinned=True, tags=["locks"], conflict=[{"content": f"Use {SECRET}."}])
    held = {"version": 1, "observations": [one, record("b", muted=True), {"id": "c"}]}
    lines = contents_in_words(json.dumps(held).encode(), "issue-29.json").splitlines()
    assert lines[0].endswith("8 tokens · pinned · locks")
    assert lines[3].startswith("  another branch: Use ")
    assert lines[4] == ""
    assert lines[5].endswith("8 tokens · muted")
    assert SECRET not in "\n".join(lines)
    assert "c" not in lines


def test_a_repository_that_git_refuses_is_not_taken_for_one_without_commits(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    changed = git.root / ".agentx" / "memory"
    write_issue(changed, 29, record("a"))
    git.commit("one")
    (git.root / ".git" / "config").write_text("[core")
    with pytest.raises(StoreError, match="git can't read this repository"):
        diff_memory(changed)
