"""One name for each file, whatever folder a session saw it through."""

from __future__ import annotations

import pytest

from store.recall.file_names import _is_same, files_of_sessions, one_name_each
from store.recall.session_files import SessionFiles
from tests.store.factories import NOW


def test_what_ends_alike_in_several_folders_is_one_file() -> None:
    names = one_name_each(["store/lock.py", "work/tree/store/lock.py", "a/b.py", "c.py"])
    assert names == {"store/lock.py": "store/lock.py", "work/tree/store/lock.py": "store/lock.py"}
    above = one_name_each(["a/store/lock.py", "store/lock.py"])
    assert {*above.values()} == {"store/lock.py"}


def test_the_last_part_alone_makes_no_one_file() -> None:
    assert one_name_each(["a/lock.py", "b/lock.py", "lock.py"]) == {}


def test_where_a_folder_stands_before_the_shorter_three_parts_are_alike() -> None:
    assert one_name_each(["x/store/lock.py", "y/store/lock.py"]) == {
        path: path for path in ("x/store/lock.py", "y/store/lock.py")
    }
    shared = one_name_each(["x/a/store/lock.py", "x/y/a/store/lock.py"])
    assert shared == {
        "x/a/store/lock.py": "a/store/lock.py",
        "x/y/a/store/lock.py": "a/store/lock.py",
    }


def test_counts_of_one_file_add_up_in_each_session() -> None:
    long, short = "work/tree/store/lock.py", "store/lock.py"
    seen = SessionFiles(
        "s", NOW, {long: 2, short: 1}, {long: 4, short: 5, "a.py": 1}, frozenset({long})
    )
    other = SessionFiles("t", NOW, {"a.py": 1}, {}, frozenset())
    found = files_of_sessions([seen, other])
    one = found.sessions["s"]
    assert one.changed == {short: 3}
    assert one.read == {short: 9, "a.py": 1}
    assert one.created == frozenset({short})
    assert found.sessions["t"] == other
    assert list(found.by_word["lock"]) == [short]


def test_all_that_a_session_says_of_a_file_is_of_its_one_name() -> None:
    long, short = "work/tree/store/lock.py", "store/lock.py"
    told = {
        "changed": SessionFiles("changed", NOW, {long: 2}, {}, frozenset(), frozenset()),
        "read": SessionFiles("read", NOW, {}, {long: 2, "a.py": 1}),
        "created": SessionFiles(
            "created", NOW, {long: 1, "b.py": 1}, {}, frozenset({long, "b.py"})
        ),
        "removed": SessionFiles("removed", NOW, {"c.py": 1}, {}, removed=frozenset({long, "d"})),
        "near": SessionFiles("near", NOW, {short: 1}),
    }
    found = files_of_sessions(list(told.values()))
    assert found.sessions == {
        "changed": SessionFiles("changed", NOW, {short: 2}),
        "read": SessionFiles("read", NOW, {}, {short: 2, "a.py": 1}),
        "created": SessionFiles(
            "created", NOW, {short: 1, "b.py": 1}, created=frozenset({short, "b.py"})
        ),
        "removed": SessionFiles("removed", NOW, {"c.py": 1}, removed=frozenset({short, "d"})),
        "near": told["near"],
    }
    assert [it.session for it in found.touching[short]] == ["changed", "read", "created", "near"]
    assert found.by_word["lock"] == [short]
    assert {word for word, paths in found.by_word.items() if "a.py" in paths} == {"a", "py"}


@pytest.mark.parametrize(
    ("short", "long", "same"),
    [
        ("x.py", "b/x.py", False),
        ("b/x.py", "a/b/x.py", True),
        ("a/b/x.py", "c/a/b/x.py", True),
        ("a/x.py", "b/x.py", False),
        ("a/x.py", "a/b/x.py", False),
        ("a/c/x.py", "a/b/c/x.py", False),
        ("a/c/d/x.py", "a/b/c/d/x.py", True),
        ("w/c/d/x.py", "a/b/c/d/x.py", False),
    ],
)
def test_which_paths_name_one_file(short: str, long: str, same: bool) -> None:
    assert _is_same(tuple(short.split("/")), tuple(long.split("/"))) is same
