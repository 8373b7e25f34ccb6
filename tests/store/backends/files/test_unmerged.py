"""Files that git holds in conflict with one side alone: what each holds once it is merged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.backends.files import unmerged
from store.backends.files.backend import FilesBackend
from store.backends.files.issue_writer import merged_files
from store.backends.files.unmerged import one_sided
from store.model import Layout
from tests.store.factories import make_store, record, records_in, write_issue
from tests.store.repositories import Repository, repository


@pytest.fixture
def git(tmp_path: Path) -> Repository:
    return repository(tmp_path / "project")


def memory_of(git: Repository) -> Path:
    return git.root / ".agentx" / "memory"


def in_conflict(git: Repository, name: str) -> Path:
    """A file that two branches changed, of which ours alone was checked out."""
    path = memory_of(git) / name
    git.commit("base")
    base = path.read_text()
    git("checkout", "-qb", "other")
    path.write_text(base.replace("Chose plain files", "Chose files of text"))
    git.commit("other")
    git("checkout", "-q", "main")
    path.write_text(base.replace("Chose plain files", "Chose a folder of files"))
    git.commit("main")
    git("merge", "-q", "other", fails=True)
    git("checkout", "--ours", str(path))
    return path


def test_a_file_that_was_checked_out_of_one_side_has_both_again(git: Repository) -> None:
    write_issue(memory_of(git), 29, record("a"))
    path = in_conflict(git, "issue-29.json")
    assert b"<<<<" not in path.read_bytes()
    ((name, merged),) = one_sided(memory_of(git))
    assert name == "issue-29.json"
    assert b"Chose a folder of files" in merged and b"Chose files of text" in merged
    facts = [(it.kind, it.path) for it in FilesBackend(memory_of(git)).examine(["a"], "now")]
    assert ("merge-conflict", "issue-29.json") in facts
    path.write_bytes(merged)
    assert list(one_sided(memory_of(git))) == [], "it has both"


def test_a_memorys_own_file_has_both_sides_too(git: Repository) -> None:
    store = make_store(memory_of(git))
    store.set_layout(Layout.EACH)
    folder = memory_of(git) / "issue-29"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(json.dumps(record("a"), indent=2) + "\n")
    in_conflict(git, "issue-29/a.json")
    ((name, merged),) = one_sided(memory_of(git))
    assert name == "issue-29/a.json"
    assert json.loads(merged)["id"] == "a"
    assert b"Chose a folder of files" in merged and b"Chose files of text" in merged


def test_what_git_does_not_hold_in_conflict_is_not_looked_at(
    git: Repository, tmp_path: Path
) -> None:
    write_issue(memory_of(git), 29, record("a"))
    git.commit("base")
    assert list(one_sided(memory_of(git))) == []
    write_issue(tmp_path / "alone", 29, record("a"))
    assert list(one_sided(tmp_path / "alone")) == []


def test_a_file_that_one_side_removed_is_left(git: Repository) -> None:
    path = write_issue(memory_of(git), 29, record("a"))
    git.commit("base")
    git("checkout", "-qb", "other")
    path.unlink()
    git.commit("other")
    git("checkout", "-q", "main")
    write_issue(memory_of(git), 29, record("a", content="New"))
    git.commit("main")
    git("merge", "-q", "other", fails=True)
    assert list(one_sided(memory_of(git))) == []


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (None, "a", "b", "ab"),
        ("c", "ca", "cb", "cab"),
        (None, None, "b", None),
        (None, "a", None, None),
        (None, "a", "a", None),
    ],
)
def test_both_sides_are_needed_and_a_base_is_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    base: str | None,
    ours: str | None,
    theirs: str | None,
    merged: str | None,
) -> None:
    versions = [
        None if it is None else write_issue(tmp_path, 29, *map(record, it)).read_bytes()
        for it in (base, theirs, ours)
    ]
    monkeypatch.setattr(unmerged, "unmerged_versions", lambda _: (*versions[:1], *versions[:0:-1]))
    if ours is None:
        write_issue(tmp_path, 29)
    found = unmerged._merged(tmp_path, "issue-29.json")
    told = None if found is None else [it["id"] for it in json.loads(found)["observations"]]
    assert told == (None if merged is None else [*merged])


def test_a_repair_of_an_issue_takes_no_file_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [("issue-7.json", b"{}"), ("issue-29.json", b"[]")]
    monkeypatch.setattr(unmerged, "one_sided", lambda _: iter(both))
    assert merged_files(tmp_path, 29) == {"issue-29.json": b"[]"}


def test_of_all_that_a_merge_broke_in_an_issue_each_move_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the markers are in, and what has one side alone."""
    store = make_store(tmp_path)
    own, archive = (
        write_issue(store.folder, 29, record("base"), archived=archived)
        for archived in (False, True)
    )
    recovered = store.folder / "issue-29.recovered.json"
    recovered.write_bytes(own.read_bytes())
    for path, name in ((own, "own"), (archive, "archive")):
        text = path.read_text()
        sides = (text.replace("base", f"{name}-{side}") for side in ("ours", "theirs"))
        path.write_text("<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n".format(*sides))
    before = [path.read_bytes() for path in (recovered, own, archive)]
    whole = recovered.read_bytes().replace(b"base", b"whole")
    monkeypatch.setattr(unmerged, "one_sided", lambda _: iter([(recovered.name, whole)]))
    moves = store.write_merged(29)
    asides = [f"quarantine/20260301T120000-{path.name}" for path in (recovered, own, archive)]
    assert moves == [
        (recovered.name, asides[0]),
        (f"{asides[0]}.merged", recovered.name),
        (own.name, asides[1]),
        (f"{asides[1]}.merged", own.name),
        (f"archive/{archive.name}", asides[2]),
        (f"{asides[2]}.merged", f"archive/{archive.name}"),
    ]
    assert [(store.folder / it).read_bytes() for it in asides] == before
    assert recovered.read_bytes() == whole
    told = [[it["id"] for it in records_in(path)] for path in (own, archive)]
    assert told == [
        [f"{name}-{side}" for side in ("ours", "theirs")] for name in ("own", "archive")
    ]


@pytest.mark.parametrize(("theirs", "merged"), [("a", True), ("b", False)])
def test_two_memories_in_the_place_of_one_are_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str, merged: bool
) -> None:
    path = tmp_path / "issue-29" / "a.json"
    path.parent.mkdir()
    sides = [
        json.dumps(record(name, content=said), indent=2).encode()
        for name, said in (("a", "Ours"), (theirs, "Theirs"))
    ]
    path.write_bytes(sides[0])
    monkeypatch.setattr(unmerged, "unmerged_versions", lambda _: (None, *sides))
    assert (unmerged._merged(tmp_path, "issue-29/a.json") is not None) is merged
