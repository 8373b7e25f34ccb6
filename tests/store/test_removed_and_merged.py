"""What one clone removed stays removed, also where another captured it by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.backends.files.backend import FilesBackend
from store.git.setup import apply_git_plan, plan_git_install
from store.model import Layout
from tests.store.factories import NOW, Clock, Ids, observation
from tests.store.repositories import Repository, program, repository

REMOVED, KEPT = "Never log the card number.", "Always run the migrations in one transaction."


@pytest.fixture
def git(tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """A repository with a memory of one issue, its driver installed."""
    git = repository(tmp_path / "project")
    if getattr(request, "param", None) is Layout.EACH:
        FilesBackend(_folder(git), lambda: NOW).set_layout(Layout.EACH)
    with _memory(git, tmp_path, "base") as memory:
        memory.store([observation("Here before")])
    apply_git_plan(plan_git_install(_folder(git), program(tmp_path)))
    git.commit("base")
    git("checkout", "-qb", "other")
    git("checkout", "-q", "main")
    return git


def _folder(git: Repository) -> Path:
    return git.root / ".agentx" / "memory"


def _memory(git: Repository, tmp_path: Path, clone: str) -> Memory:
    """The memory as one clone has it open: with an index and with ids of its own."""
    cache = tmp_path / "cache" / clone
    return open_memory(_folder(git), cache=cache, clock=Clock(NOW), new_id=Ids(clone))


def _captured(memory: Memory) -> None:
    memory.store(
        [observation(text, sources=(f"session:s#{len(text)}",)) for text in (REMOVED, KEPT)]
    )


def _texts(memory: Memory) -> list[str]:
    return sorted(it.content for it in memory.by_issue(29))


def _on_both(git: Repository, tmp_path: Path) -> None:
    """`main` captured both and removed one of them, `other` captured both."""
    git("checkout", "-q", "other")
    with _memory(git, tmp_path, "theirs") as memory:
        _captured(memory)
    git.commit("theirs")
    git("checkout", "-q", "main")
    with _memory(git, tmp_path, "ours") as memory:
        _captured(memory)
        memory.apply(memory.plan.remove("ours-1"))
    git.commit("ours")


@pytest.mark.parametrize(
    ("git", "into", "merged"),
    [
        (Layout.PER_ISSUE, "other", "main"),
        (Layout.EACH, "main", "other"),
    ],
    indirect=["git"],
)
def test_merged_on_either_side(git: Repository, tmp_path: Path, into: str, merged: str) -> None:
    _on_both(git, tmp_path)
    git("checkout", "-q", into)
    with _memory(git, tmp_path, into) as memory:
        memory.index.refresh()
    git("merge", "-q", "--no-edit", merged)
    assert "CONFLICT" not in git.said
    with _memory(git, tmp_path, into) as memory:
        assert _texts(memory) == [KEPT, KEPT, "Here before"]
        assert memory.search("card").total == 0
        assert memory.recall.plan("engineer", 29, "card number").text.count("card number") == 0


@pytest.mark.parametrize("git", [Layout.PER_ISSUE], indirect=True)
def test_the_doctor_names_it_and_takes_it_out_of_the_file(git: Repository, tmp_path: Path) -> None:
    _on_both(git, tmp_path)
    git("merge", "-q", "--no-edit", "other")
    with _memory(git, tmp_path, "ours") as memory:
        found = memory.doctor.examine()
        assert [it.path for it in found.findings if it.kind == "removed-before"]
        memory.doctor.repair(found)
        assert not [it for it in memory.doctor.examine().findings if it.kind == "removed-before"]
    kept = [it.read_text() for it in _folder(git).glob("issue-29*/**/*.json")]
    kept += [it.read_text() for it in _folder(git).glob("issue-29.json")]
    assert kept and not any(REMOVED in it for it in kept)


def test_what_somebody_puts_back_under_its_own_id_is_seen(tmp_path: Path) -> None:
    """A person who takes an old version of the file wants what is in it."""
    git = repository(tmp_path / "project")
    with _memory(git, tmp_path, "ours") as memory:
        _captured(memory)
        file = _folder(git) / "issue-29.json"
        old = file.read_text()
        memory.apply(memory.plan.remove("ours-1"))
        file.write_text(old)
        assert REMOVED in _texts(memory)


def test_a_line_that_git_broke_loses_no_other(git: Repository, tmp_path: Path) -> None:
    with _memory(git, tmp_path, "ours") as memory:
        _captured(memory)
        memory.apply(memory.plan.remove("ours-1"))
        (path,) = (_folder(git) / "removed").iterdir()
        path.write_text(f"<<<<<<< ours\n{path.read_text()}=======\n{{broken\n>>>>>>> theirs\n")
        assert memory.add([observation(REMOVED)], agent="codex").refused == (0,)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_two_clones_that_remove_need_no_hand(git: Repository, tmp_path: Path) -> None:
    for branch, text in (("other", "One"), ("main", "Two")):
        git("checkout", "-q", branch)
        with _memory(git, tmp_path, branch) as memory:
            (made,) = memory.store([observation(text)])
            memory.apply(memory.plan.remove(made))
        git.commit(branch)
    git("merge", "-q", "--no-edit", "other")
    assert "CONFLICT" not in git.said
    (path,) = (_folder(git) / "removed").iterdir()
    assert sorted(it["id"] for it in _lines(path)) == ["main-1", "other-1"]


def test_a_vault_hides_it_too(tmp_path: Path) -> None:
    git = repository(tmp_path / "project")
    vault = git.root / "notes"
    vault.mkdir()

    def opened(clone: str) -> Memory:
        cache = tmp_path / "cache" / clone
        return open_memory(f"vault://{vault}", cache=cache, clock=Clock(NOW), new_id=Ids(clone))

    apply_git_plan(plan_git_install(vault, program(tmp_path)))
    git.commit("base")
    git("checkout", "-qb", "other")
    with opened("other") as memory:
        memory.store([observation(REMOVED, issue_number=0)])
    git.commit("theirs")
    git("checkout", "-q", "main")
    with opened("main") as memory:
        kept = observation(KEPT, issue_number=0, category="lesson")
        memory.store([kept, observation(REMOVED, issue_number=0)])
        memory.apply(memory.plan.remove("main-2"))
    git.commit("ours")
    git("checkout", "-q", "other")
    with opened("other") as memory:
        memory.index.refresh()
    git("merge", "-q", "--no-edit", "-Xtheirs", "main")
    with opened("other") as memory:
        assert [it.content for it in memory.by_issue(0)] == [KEPT]
        assert memory.search("card").total == 0
        found = memory.doctor.examine()
        assert [it.path for it in found.findings if it.kind == "removed-before"]
        memory.doctor.repair(found)
    assert not any(REMOVED in it.read_text() for it in vault.rglob("*.md"))
