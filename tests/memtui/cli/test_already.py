"""What is so already is said, by every command that would make it so."""

from __future__ import annotations

import json

import pytest

from tests.memtui.cli.conftest import Run

FIRST, SECOND = (f"obs-engineer-29-1709035200000-aaaa0{number}" for number in (1, 5))


@pytest.mark.parametrize(
    ("first", "again", "said"),
    [
        (["archive"], ["archive"], "is already archived"),
        (["pin"], ["pin"], "is pinned already"),
        (["mute"], ["mute"], "is muted already"),
        (["stats"], ["pin", "--off"], "is not pinned"),
        (["stats"], ["mute", "--off"], "is not muted"),
        (["tag", "--add", "x"], ["tag", "--add", "#x"], "is already tagged so"),
        (["stats"], ["tag", "--remove", "x"], "is already tagged so"),
        (["stats"], ["edit", "--category", "decision"], "is unchanged"),
    ],
)
@pytest.mark.usefixtures("project")
def test_what_is_so_already_is_said(
    memtui: Run, first: list[str], again: list[str], said: str
) -> None:
    if first != ["stats"]:
        memtui(*first, "aaaa01", "--yes")
    done = memtui(*again, "aaaa01", "--yes")
    assert (done.code, done.out, done.err) == (0, "", f"{FIRST} {said}.\n")
    done = memtui(*again, "aaaa01", "--json")
    assert json.loads(done.out)["changed"] == 0


@pytest.mark.usefixtures("project")
def test_restore_says_what_is_not_archived(memtui: Run) -> None:
    done = memtui("restore", "aaaa01", FIRST)
    assert (done.code, done.out, done.err) == (0, "", f"{FIRST} is not archived.\n")
    memtui("archive", "aaaa05", "--yes")
    done = memtui("restore", "aaaa01", SECOND, "--yes")
    assert done.out == "Restored 1 memory.\n"
    assert done.err.splitlines()[0] == f"{FIRST} is not archived."
    done = memtui("restore", "aaaa05", "--json")
    assert json.loads(done.out)["changed"] == 0
    assert done.err == f"{SECOND} is not archived.\n"


@pytest.mark.usefixtures("project")
def test_tags_go_to_all_that_a_query_finds_as_one_operation(memtui: Run) -> None:
    done = memtui("tag", "--query", "issue:29", "+auth, login", "-wip", "--yes")
    assert (done.code, done.out) == (0, f"Tagged {_found(memtui, 'issue:29')} memories.\n")
    assert _found(memtui, "tag:auth tag:login") == _found(memtui, "issue:29")
    assert memtui("undo", "--yes").code == 0
    assert _found(memtui, "tag:auth") == 0


def _found(memtui: Run, query: str) -> int:
    total = json.loads(memtui("search", query, "--json").out)["total"]
    assert isinstance(total, int)
    return total
