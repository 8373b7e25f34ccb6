"""Commands that take back: undo, forget, and what was done already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import WriteFailed
from tests.memtui.cli.conftest import Run

MEMORY = Path(".agentx") / "memory"


@pytest.mark.usefixtures("project")
def test_undo_takes_back_what_was_added_last(memtui: Run) -> None:
    memtui("add", "One thing")
    added = memtui("add", "Another thing")
    said = added.err.split("`memtui undo ")[1][:4]
    assert memtui("undo", "--dry-run").out.startswith("Undo: add 1 memory")
    assert memtui("undo", said, "--yes").code == 0
    assert "Another" not in memtui("list").out
    assert "One thing" in memtui("list").out


@pytest.mark.usefixtures("project")
def test_redo_does_again_what_was_undone(memtui: Run) -> None:
    refused = memtui("redo", "--yes")
    assert (refused.code, "Nothing to redo" in refused.err) == (2, True)
    memtui("remove", "aaaa01", "--yes")
    memtui("undo", "--yes")
    assert memtui("redo").code == 1
    assert "aaaa01" in memtui("list").out
    done = memtui("redo", "--yes")
    assert (done.code, done.out) == (0, "Redone: delete 1 memory.\n")
    assert "aaaa01" not in memtui("list").out
    data = json.loads(memtui("undo", "--yes", "--json").out)
    assert data["changed"] == 1


def test_a_repair_that_could_not_be_done_is_not_said_to_be(
    memtui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / MEMORY / "manifest.json").write_text("{")

    def full(*_: object, **__: object) -> None:
        raise WriteFailed("manifest.json could not be written: the disk is full.")

    monkeypatch.setattr("store.backends.files.backend.settle_manifest", full)
    done = memtui("doctor", "--repair", "--yes")
    assert (done.code, done.out) == (1, "")
    assert "the disk is full" in done.err


def test_a_repair_says_what_it_did_and_what_is_left(memtui: Run, project: Path) -> None:
    (project / MEMORY / "manifest.json").write_text("{")
    done = memtui("doctor", "--repair", "--yes")
    assert (done.code, done.out.splitlines()[0]) == (
        0,
        "Repaired: rebuild the manifest.",
    )
    assert memtui("doctor").code == 0
    (project / MEMORY / "issue-8.json").write_text('{"observations": [{"id": "half"}]}')
    (project / MEMORY / "manifest.json").write_text("{")
    done = memtui("doctor", "--repair", "--yes")
    assert (done.code, "'half'" in done.out, "Still open:" in done.err) == (1, True, True)
    again = memtui("doctor", "--repair", "--yes")
    assert (again.code, "done" in again.out) == (1, False)
    assert "None of these can be repaired" in again.err


@pytest.mark.usefixtures("project")
def test_the_history_tells_which_memory_an_operation_changed(memtui: Run) -> None:
    memtui("archive", "aaaa01", "--yes")
    memtui("archive", "aaaa03", "--yes")
    newer, older = memtui("history").out.splitlines()[:2]
    assert newer.endswith("Archive 1 memory  Hostile: red ␛[31m bell ␇ flip ◌ end")
    assert older.endswith("Archive 1 memory  Chose option 1 for the lock.")


# `remove --forget`: asked for plainly, and what is left elsewhere is said.


def test_forgetting_takes_it_out_of_everything_and_says_what_is_left(
    memtui: Run, project: Path
) -> None:
    memtui("edit", "aaaa06", "--category", "lesson", "--yes")
    memtui("inject", "--record")
    planned = memtui("remove", "aaaa06", "--forget")
    assert planned.code == 1
    assert "Forget 1 memory" in planned.out
    assert "can't be undone" in planned.out
    assert "operations in the journal" in planned.out
    assert "recalls/" in planned.out
    done = memtui("remove", "aaaa06", "--forget", "--yes")
    assert (done.code, done.out) == (0, "Forgot 1 memory.\n")
    assert "memtui undo" not in done.err
    assert "transcript is not changed" in done.err
    said = b"Chose option 6 for the lock."
    left = [path for path in (project / ".agentx").rglob("*") if path.is_file()]
    assert [path for path in left if said in path.read_bytes()] == []
    assert memtui("undo", "--yes").code == 1


# What is so already is said, by every command that would make it so.


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
