"""`undo`, `redo` and `doctor --repair`: what is said is what was done."""

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
