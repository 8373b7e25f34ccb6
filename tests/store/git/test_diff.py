"""What changed in a memory, by git: between two commits, since one, on a branch of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import InvalidObservation, StoreError
from store.git.diff import contents_in_words, diff_memory
from store.merge.changes import MemoryDiff
from tests.store.factories import record, write_issue
from tests.store.repositories import Repository, repository

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Three commits on `main`: a; a and b, which is in the archive, too, so that the issue file
    wins; b archived; and `other`, which left after the first.
    """
    git = repository(tmp_path_factory.mktemp("git") / "project")
    folder = git.root / ".agentx" / "memory"
    write_issue(folder, 29, record("a"))
    git.commit("one")
    git("branch", "other")
    write_issue(folder, 29, record("a"), record("b", tokens=5))
    write_issue(folder, 29, record("b", tokens=5), archived=True)
    git.commit("two")
    write_issue(folder, 29, record("a", content="Edited"))
    git.commit("three")
    git("checkout", "-q", "other")
    write_issue(folder, 30, record("c", issueNumber=30, content=f"The key is {SECRET}."))
    git.commit("four")
    git("checkout", "-q", "main")
    return git


@pytest.fixture
def folder(made: Repository) -> Path:
    return made.root / ".agentx" / "memory"


def _told(found: MemoryDiff) -> list[tuple[str, str]]:
    return [(str(it.what), it.id) for it in found.changes]


def test_two_dots_compare_ends_and_three_begin_where_the_two_parted(folder: Path) -> None:
    assert _told(diff_memory(folder, "main...other")) == [("added", "c")]
    two = _told(diff_memory(folder, "main..other"))
    assert two == [("added", "c"), ("edited", "a"), ("removed", "b")]


def test_what_it_tells_is_clean(folder: Path) -> None:
    (added,) = diff_memory(folder, "main...other").changes
    assert added.before is None
    assert added.after is not None
    assert added.after.issue == 30
    assert SECRET not in str(added)
    assert str(added.after.record["content"]).startswith("The key is ")
    (gone,) = diff_memory(folder, "other..other~1").changes
    assert SECRET not in str(gone)


def test_a_commit_that_is_none_and_a_folder_without_git_are_said(
    folder: Path, tmp_path: Path
) -> None:
    for range_ in ("nowhere", "main..nowhere", "--output=x", "main:.agentx"):
        with pytest.raises(InvalidObservation, match="is not a commit here"):
            diff_memory(folder, range_)
    with pytest.raises(StoreError, match="is not in a git repository"):
        diff_memory(tmp_path)


def test_what_cannot_be_read_here_is_not_told_as_removed(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    folder = git.root / ".agentx" / "memory"
    broken = write_issue(folder, 29, record("a"), record("b"))
    write_issue(folder, 30, record("c", issueNumber=30))
    git.commit("one")
    broken.write_text("{")
    write_issue(folder, 30, record("d", issueNumber=30))
    found = _told(diff_memory(folder, "HEAD"))
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
    folder = git.root / ".agentx" / "memory"
    write_issue(folder, 29, record("a"))
    git.commit("one")
    (git.root / ".git" / "config").write_text("[core")
    with pytest.raises(StoreError, match="git can't read this repository"):
        diff_memory(folder)
