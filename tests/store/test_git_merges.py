"""Memory in real repositories: whatever git does to it, all memories of both sides are there."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from store.backends.files.issue_reader import read_issue
from store.git.setup import ATTRIBUTES, apply_git_plan, plan_git_install, plan_git_uninstall
from store.platform.git_command import unmerged_versions
from tests.store.factories import make_store, observation, records_in, write_issue
from tests.store.factories import record as bare_record
from tests.store.repositories import Repository, program, repository

NAME = "issue-29.json"


def record(identifier: str, **keys: object) -> dict[str, Any]:
    return bare_record(identifier, **{"content": f"What {identifier} says", **keys})


@pytest.fixture
def git(tmp_path: Path) -> Repository:
    """A repository with a memory of one issue, its driver installed."""
    git = repository(tmp_path / "project")
    write_issue(memory_of(git), 29, record("a"), record("b"), record("c"))
    (git.root / ".gitignore").write_text(".agentx/memory/manifest.json\n")
    apply_git_plan(plan_git_install(memory_of(git), program(tmp_path)))
    return git.commit("base")


def memory_of(git: Repository) -> Path:
    folder = git.root / ".agentx" / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(git: Repository, *records: dict[str, Any], message: str = "memory") -> None:
    path = write_issue(memory_of(git), 29, *records)
    # Every write says when it was, so that two branches never write the same.
    path.write_text(path.read_text().replace("2026-02-27T10", f"2026-02-28T{next(_HOURS):02d}", 1))
    git.commit(message)


_HOURS = itertools.cycle(range(24))


def ids(git: Repository) -> list[str]:
    return [item["id"] for item in records_in(memory_of(git) / NAME)]


def on_branches(git: Repository) -> None:
    """`main` added m and removed b, `other` added o and edited c."""
    git("checkout", "-qb", "other")
    write(git, record("a"), record("b"), record("c", content="New"), record("o"), message="other")
    git("checkout", "-q", "main")
    write(git, record("a"), record("c"), record("m"), message="main")


def test_a_merge_takes_both_sides(git: Repository) -> None:
    on_branches(git)
    git("merge", "-q", "--no-edit", "other")
    assert ids(git) == ["a", "c", "m", "o"]
    assert "CONFLICT" not in git.said


def test_without_the_driver_one_repair_merges(git: Repository, tmp_path: Path) -> None:
    """A fresh clone knows the attributes but no driver: the markers are read, then written."""
    apply_git_plan(plan_git_uninstall(memory_of(git)))
    git.commit("no driver")
    on_branches(git)
    git("merge", "--no-edit", "other", fails=True)
    records = read_issue(memory_of(git), 29)
    assert sorted(one.id for one in records.observations()) == ["a", "c", "m", "o"]
    store = make_store(git.root)
    store.write_merged(29)
    assert sorted(ids(git)) == ["a", "c", "m", "o"]
    git.commit("merged")


def _by_id(git: Repository) -> dict[str, Any]:
    held = read_issue(memory_of(git), 29).held()
    return {one.record.value["id"]: one.record.exact() for one in held}


def test_what_a_union_fused_is_named_and_comes_back_from_git(git: Repository) -> None:
    """A reader of JSON would have dropped one of the two without a word."""
    (memory_of(git) / ATTRIBUTES).write_text("issue-*.json merge=union\n")
    git.commit("union")("checkout", "-qb", "other")
    start = [record("a"), record("b"), record("c")]
    write(git, *start, record("o"), message="other")
    git("checkout", "-q", "main")
    write(git, *start, record("m"), message="main")
    git("merge", "-q", "--no-edit", "other")
    store = make_store(git.root)
    assert not _by_id(git)
    (fact,) = store.examine_issue(store.read(29), "now")
    assert (fact.kind, fact.path, fact.repair, fact.moves) == ("unreadable-file", NAME, None, ())
    assert "Restore a version of it from git" in store.read(29).problems[0].message
    store.store([observation("Meanwhile")])
    git("checkout", "HEAD^", "--", f".agentx/memory/{NAME}")
    assert sorted(_by_id(git)) == ["a", "b", "c", "m", "obs-1"]


def test_a_file_that_one_side_deleted_is_in_conflict(git: Repository) -> None:
    apply_git_plan(plan_git_uninstall(memory_of(git)))
    git.commit("no driver")
    path = memory_of(git) / NAME
    base = path.read_bytes()
    assert unmerged_versions(path) is None
    git("checkout", "-qb", "other")
    path.unlink()
    git.commit("gone")
    git("checkout", "-q", "main")
    write(git, record("a"), message="kept")
    ours = path.read_bytes()
    git("merge", "--no-edit", "other", fails=True)
    assert unmerged_versions(path) == [base, ours, None]


@pytest.mark.long
def test_two_machines_converge(git: Repository, tmp_path: Path) -> None:
    """Random work on two clones of a bare repository, pushed and pulled now and then."""
    bare = tmp_path / "bare.git"
    git("clone", "-q", "--bare", str(git.root), str(bare))
    driver = program(tmp_path)
    clones = [_clone(git, bare, tmp_path / name, driver) for name in ("left", "right")]
    chance = random.Random(23)
    numbers = itertools.count()
    known: set[str] = {"a", "b", "c"}
    for _ in range(100):
        clone = chance.choice(clones)
        records = records_in(memory_of(clone) / NAME)
        what = chance.choice(["add", "add", "remove", "tag", "sync"])
        if what == "add":
            known.add(f"n{next(numbers)}")
            records.append(record(f"n{max(int(name[1:]) for name in known if name[1:])}"))
        elif what == "remove" and records:
            known.discard(records.pop(chance.randrange(len(records)))["id"])
        elif what == "tag" and records:
            chosen = chance.choice(records)
            chosen["recallCount"] = chosen.get("recallCount", 0) + 1
        write(clone, *records)
        if what == "sync":
            _sync(clone)
    for clone in (*clones, *clones):
        _sync(clone)
    left, right = ((memory_of(clone) / NAME).read_bytes() for clone in clones)
    assert left == right
    assert set(ids(clones[0])) == known


def _clone(git: Repository, bare: Path, root: Path, driver: str) -> Repository:
    git("clone", "-q", str(bare), str(root))
    clone = Repository(root)
    apply_git_plan(plan_git_install(memory_of(clone), driver))
    return clone


def _sync(clone: Repository) -> None:
    clone("pull", "-q", "--no-rebase", "--no-edit")
    clone("push", "-q")
