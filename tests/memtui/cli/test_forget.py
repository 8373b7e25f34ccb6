"""`remove --forget`: asked for plainly, and what is left elsewhere is said."""

from __future__ import annotations

from pathlib import Path

from tests.memtui.cli.conftest import Run


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
