"""A disk that fails to sync, by the kernel's own answer: what is said of a removal is true."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from store import Observation, open_memory

FACT = Observation(
    agent="engineer",
    issue_number=3,
    category="decision",
    content="The lock is a kernel lock.",
    id="obs-engineer-3-1709035200000-a1b2c3",
)
COMMAND = (sys.executable, "-m", "memtui")


@pytest.fixture
def strace() -> str:
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed")
    probe = subprocess.run([found, "-o", os.devnull, "true"], capture_output=True, check=False)
    if probe.returncode:
        pytest.skip("no process may be traced here")
    return found


@pytest.mark.parametrize("when", range(1, 9))
def test_a_removal_that_failed_is_not_done_or_can_be_undone(
    tmp_path: Path, strace: str, when: int
) -> None:
    memory = tmp_path / "project" / ".agentx" / "memory"
    with open_memory(memory) as opened:
        opened.store([FACT])
    inject = f"inject=fsync,fdatasync:error=EIO:when={when}"
    removal = [*COMMAND, "remove", FACT.id, "--yes"]
    done = subprocess.run(
        [strace, "-f", "-o", os.devnull, "-e", inject, *removal],
        cwd=memory.parent.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    stands = FACT.content in (memory / "issue-3.json").read_text()
    if stands:
        assert done.returncode != 0
        return
    assert "Nothing was done" not in done.stderr
    assert "before is intact" not in done.stderr
    with open_memory(memory) as opened:
        opened.undo()
    assert FACT.content in (memory / "issue-3.json").read_text()
