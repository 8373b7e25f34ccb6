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


SYNCS = "fsync,fdatasync"


@pytest.fixture(scope="module")
def tracing() -> tuple[str, ...]:
    """A command that traces syncs, and stops at no other call where the kernel can tell them."""
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed")
    plain = (found, "-f", "-o", os.devnull, "-e", f"trace={SYNCS}")
    for command in ((*plain, "--seccomp-bpf"), plain):
        if not subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
            return command
    pytest.skip("no process may be traced here")


@pytest.mark.parametrize("when", [1, 3])
def test_a_removal_that_failed_is_not_done_or_can_be_undone(
    tmp_path: Path, tracing: tuple[str, ...], when: int
) -> None:
    memory = tmp_path / "project" / ".agentx" / "memory"
    with open_memory(memory) as opened:
        opened.store([FACT])
    inject = f"inject={SYNCS}:error=EIO:when={when}"
    removal = [*COMMAND, "remove", FACT.id, "--yes"]
    done = subprocess.run(
        [*tracing, "-e", inject, *removal],
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
