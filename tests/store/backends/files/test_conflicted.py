"""A file that a merge of lines broke gives the memories of both sides."""

from __future__ import annotations

import errno
import itertools
import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.backends.files import conflicted
from store.backends.files.conflicted import read_version, restore
from store.backends.files.issue_file import IssueFile, dump_issue_file
from store.backends.files.issue_reader import read_issue
from store.backends.files.merge_versions import merge_versions
from store.errors import StoreError, Unreadable
from store.merge.files import Side, merge_files
from store.merge.versions import alternatives
from store.records import new_record
from tests.store.factories import make_store, observation, record
from tests.store.merge.worlds import STEPS, Branch, grown
from tests.store.repositories import repository

NAME = "issue-29.json"
Steps = list[tuple[str, str, str]]


def text_of(side: Side) -> bytes:
    return dump_issue_file(IssueFile(dict(side.header), list(side.records)))


def merged_by_lines(
    folder: Path, base: bytes, ours: bytes, theirs: bytes, how: Sequence[str] = ()
) -> bytes:
    """What git's own merge of lines makes of three versions."""
    names = []
    for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_bytes(data)
        names.append(str(folder / name))
    command = ["git", "merge-file", "-p", *how, *names]
    return subprocess.run(command, capture_output=True, check=False).stdout


def _file(*records: dict[str, Any], day: int = 1) -> bytes:
    header = {"version": 1, "issueNumber": 29, "updatedAt": f"2026-03-{day:02d}T10:00:00.000Z"}
    return dump_issue_file(IssueFile(header, [new_record(item) for item in records]))


def _told(side: Side) -> dict[str, set[str]]:
    """All texts of each memory."""
    told: dict[str, set[str]] = {}
    for _, value in side.records:
        assert value["id"] not in told, "doubled"
        others = (one["content"] for one in alternatives(value) if "content" in one)
        told[value["id"]] = {value["content"], *others}
    return told


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("how", [(), ("--diff3",), ("--zdiff3",)], ids=str)
@given(start=STEPS, left=STEPS, right=STEPS)
def test_nothing_is_lost_and_nothing_doubled(
    tmp_path: Path, how: Sequence[str], start: Steps, left: Steps, right: Steps
) -> None:
    base = grown(Branch(), start, 1)
    ours, theirs = grown(base, left, 10), grown(base, right, 20)
    sides = [branch.side() for branch in (base, ours, theirs)]
    data = merged_by_lines(tmp_path, text_of(sides[0]), text_of(sides[1]), text_of(sides[2]), how)
    told = _told(read_version(data, NAME))
    best = merge_files(*sides)
    expected = _told(Side(best.header, best.records))
    # Where a side removed one, git may put lines of another in its place: only its index knows.
    for name in base.world.keys() - (ours.world.keys() & theirs.world.keys()):
        expected.pop(name, None)
    assert expected.keys() <= told.keys() <= {*ours.world, *theirs.world}
    assert set().union(*expected.values()) <= set().union(*told.values()), data.decode()


def test_a_file_in_conflict_is_read_as_git_would_have_merged_it(tmp_path: Path) -> None:
    """From git's index: the removal of one side holds, although the markers show its lines."""
    store = make_store(tmp_path)
    git = repository(tmp_path)
    path = store.folder / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(_file(record("a"), record("b")))
    git("add", "-A").commit("base")
    git("checkout", "-qb", "other")
    path.write_bytes(_file(record("a"), record("c"), day=2))
    git("add", "-A").commit("b removed, c added")
    git("checkout", "-q", "main")
    path.write_bytes(_file(record("a"), record("b"), record("d"), day=3))
    git("add", "-A").commit("d added")
    git("merge", "other", fails=True)
    assert b"<<<<<<< " in path.read_bytes()
    records = read_issue(store.folder, 29)
    assert [one.id for one in records.observations()] == ["a", "c", "d"]
    assert [(one.path, one.is_restored) for one in records.problems] == [(NAME, True)]
    before = path.read_bytes()
    assert path.read_bytes() == before, "looking changes nothing"
    store.store([observation("Kept while in conflict")])
    assert b"<<<<<<< " not in path.read_bytes()
    assert len(read_issue(store.folder, 29).observations()) == 4


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_merge_that_fails_leaves_the_old_file_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Each time another call of this name fails, as on a full or dying disk."""
    store = make_store(tmp_path)
    path = store.folder / NAME
    path.parent.mkdir(parents=True)
    versions = _file(record("a")), _file(record("a"), record("b"), day=2), _file(record("c"), day=3)
    conflict = merged_by_lines(tmp_path, *versions)
    path.write_bytes(conflict)
    real, struck = getattr(os, call), 0
    for number in itertools.count(1):
        path.write_bytes(conflict)
        calls = itertools.count(1)

        def strike(*given: Any, calls: Any = calls, number: int = number, **named: Any) -> Any:  # noqa: ANN401
            if next(calls) == number:
                raise OSError(errno.EIO, "it failed")
            return real(*given, **named)

        monkeypatch.setattr(os, call, strike)
        with suppress(StoreError):
            store.write_merged(29)
        monkeypatch.undo()
        ids = {one.id for one in read_issue(store.folder, 29).observations()}
        assert ids >= {"b", "c"}, f"lost at call {number}"
        assert path.read_bytes() == conflict or b"<<<<<<<" not in path.read_bytes()
        if next(calls) <= number:
            break
        struck += 1
    assert struck, f"{call} was never called"


@given(data=st.data())
def test_what_is_damaged_further_is_read_or_named(data: st.DataObject) -> None:
    """Lines cut, doubled and put elsewhere, with brackets and markers among them."""
    lines = _file(record("a", tags=["x"]), record("b", mood={"k": [1]}), day=2).splitlines(True)
    marks = [b"<<<<<<< ours\n", b"=======\n", b">>>>>>> theirs\n", b'  "updatedAt": "2026"\n']
    odd = [*lines, *marks, b'      "tags": [\n', b"        [\n", b'      "mood": {\n']
    picked = data.draw(st.lists(st.sampled_from(odd), max_size=12))
    at = data.draw(st.integers(0, len(lines)))
    with suppress(Unreadable):
        read_version(b"".join([*lines[:at], *picked, *lines[at:]]), NAME)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "told"),
    [
        ("ab", "abd", "ac", "acde"),
        ("", "abd", "ac", "abcde"),
        ("ab", "", "abc", "abce"),
        ("ab", "abd", "", "abcde"),
    ],
)
def test_what_stands_in_a_file_in_conflict_beside_the_versions_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str, ours: str, theirs: str, told: str
) -> None:
    """A version that git does not have is none; what was added between its markers stays."""
    base_, ours_, theirs_ = (
        _file(*map(record, ids), day=day) if ids else None
        for day, ids in enumerate((base, ours, theirs), 1)
    )
    versions = (base_, ours_, theirs_)
    monkeypatch.setattr(conflicted, "unmerged_versions", lambda _: versions)
    data = merged_by_lines(tmp_path, _file(), _file(record("a"), record("e")), _file(record("c")))
    restored = restore(tmp_path / NAME, data)
    assert restored is not None
    assert sorted(it["id"] for it in restored.values()) == sorted(told)


def test_what_a_merge_removed_does_not_come_back_from_the_markers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, ours, theirs = (_file(*map(record, ids)) for ids in ("abx", "ab", "ac"))
    monkeypatch.setattr(conflicted, "unmerged_versions", lambda _: (base, ours, theirs))
    data = merged_by_lines(tmp_path, _file(), _file(record("a"), record("x")), _file(record("c")))
    assert b'"x"' in data
    restored = restore(tmp_path / NAME, data)
    assert restored is not None
    assert [it["id"] for it in restored.values()] == ["a", "c"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("", '{"a": 1}', '{"b": 2}', {"a": 1, "b": 2}),
        ('{"a": 1, "b": 2}', '{"a": 3, "b": 2}', '{"a": 1, "b": 4}', {"a": 3, "b": 4}),
        ("no json", '{"a": 1}', '{"b": 2}', {"a": 1, "b": 2}),
        ("", "{", '{"b": 2}', None),
        ("", '{"a": 1}', "", None),
        ("", '{"a": 1}', "[]", None),
        ("", '{"observations": 1}', '{"b": 2}', None),
        ("", '{"a": 1}', '{"observations": 1}', None),
        ('{"observations": 1}', '{"a": 1}', '{"b": 2}', None),
    ],
)
def test_sessions_are_merged_where_both_sides_are_some(
    base: str, ours: str, theirs: str, merged: dict[str, int] | None
) -> None:
    sides = (base.encode(), ours.encode(), theirs.encode())
    if merged is None:
        with pytest.raises(Unreadable):
            merge_versions(*sides, "sessions/s-1.json")
    else:
        assert json.loads(merge_versions(*sides, "sessions/s-1.json").data) == merged
