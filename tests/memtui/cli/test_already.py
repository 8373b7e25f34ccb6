"""What is so already is said, by every command that would make it so."""

from __future__ import annotations

import json
from pathlib import Path

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
        (["tag", "--add", "x"], ["tag", "--add", "#x"], "is already tagged"),
        (["stats"], ["tag", "--remove", "x"], "is already tagged"),
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
def test_what_is_not_so_yet_is_done_and_counted(memtui: Run) -> None:
    memtui("pin", "aaaa01", "--yes")
    done = memtui("pin", "aaaa01", "aaaa05", "aaaa05", "--yes")
    assert done.out == "Pinned 1 memory.\n"
    assert done.err.splitlines()[0] == f"{FIRST} is pinned already."
    memtui("archive", "aaaa01", "--yes")
    done = memtui("archive", "aaaa01", "aaaa05", "--yes")
    assert done.out == "Archived 1 memory.\n"
    assert done.err.splitlines()[0] == f"{FIRST} is already archived."


def test_many_are_counted(memtui: Run, project: Path) -> None:
    assert memtui("archive", "--query", "issue:0,7,29", "--yes").code == 0
    done = memtui("archive", "--query", "is:archived", "--yes")
    assert (done.out, done.err) == ("", "6 memories are already archived.\n")
    assert memtui("archive", "--query", "issue:0,7,29", "--yes").err == "Nothing to do.\n"
