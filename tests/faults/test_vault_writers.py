"""Programs on one vault, killed at random, while a person edits the same files: nobody's text goes.

Run as `python -m tests.faults.test_vault_writers FOLDER NAME COUNT` it is one of the programs.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from store import Observation, open_memory

ROOT = Path(__file__).parents[2]
_POLL, _MOMENT = 0.005, 0.1


@pytest.mark.long
def test_no_text_is_lost_in_a_vault(tmp_path: Path) -> None:
    writers, each, kills, chance = 4, 25, 25, random.Random(24)
    vault = tmp_path / ".memory"
    (vault / "dev").mkdir(parents=True)
    (vault / "dev" / "decisions.md").write_text("# Decisions\n")
    running = {f"w{number}": _start(vault, f"w{number}", each) for number in range(writers)}
    mine: list[str] = []
    for number in range(kills):
        mine.append(_edit(vault, f"by hand {number}", chance))
        _wait(tmp_path, number * writers * each // kills, running)
        name = chance.choice(sorted(running))
        running[name].send_signal(signal.SIGKILL)
        running[name].wait()
        running[name] = _start(vault, f"{name}k{number}", each // 5)
    while any(process.poll() is None for process in running.values()):
        mine.append(_edit(vault, f"by hand {len(mine)}", chance))
        time.sleep(_MOMENT)
    assert {process.wait(timeout=60) for process in running.values()} == {0}
    said = [line for path in tmp_path.glob("*.log") for line in path.read_text().splitlines()]
    with open_memory(vault, cache=tmp_path / "cache") as memory:
        memory.store([Observation("dev", 0, "decision", "the last")])
        held = [hit.entry.summary for hit in memory.search("category:decision", 10_000).hits]
        held += [hit.entry.summary for hit in memory.search("is:archived", 10_000).hits]
        assert memory.state().problems == ()
    stands = Counter(held)
    assert [text for text in said if stands[text] != 1] == []
    whole = "\n".join(path.read_text() for path in vault.rglob("*.md"))
    assert [line for line in mine if line not in whole] == []
    assert not (vault / ".vault/memtui/pending/vault.json").exists()
    assert len(said) >= writers * each // 2


def _start(vault: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.test_vault_writers", str(vault), name]
    return subprocess.Popen([*command, str(count)], cwd=ROOT)


def _wait(folder: Path, lines: int, running: dict[str, subprocess.Popen[bytes]]) -> None:
    """Until so much was acknowledged, or nobody is left to say more."""
    while any(process.poll() is None for process in running.values()):
        if sum(path.read_bytes().count(b"\n") for path in folder.glob("*.log")) >= lines:
            return
        time.sleep(_POLL)


def _edit(vault: Path, line: str, chance: random.Random) -> str:
    """Add a line to a file, and again if it is not there a moment later, as a person would."""
    paths = sorted(vault.glob("*/*.md"))
    path = chance.choice(paths)
    for _ in range(20):
        with path.open("a") as file:
            file.write(f"\n{line}.\n")
        time.sleep(_MOMENT)
        if f"{line}.\n" in path.read_text():
            return f"{line}.\n"
    raise AssertionError(f"{line} does not stay")


def _work(vault: Path, name: str, count: int) -> None:
    """Add a memory, archive every third, restore every sixth; say each that was acknowledged."""
    cache = vault.with_name(f"cache-{name}")
    log = os.open(vault.with_name(f"{name}.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    with open_memory(vault, cache=cache) as memory:
        for number in range(count):
            text = f"{name} decided on number {number}"
            (identifier,) = memory.store([Observation("dev", number % 3, "decision", text)])
            os.write(log, f"{text}\n".encode())
            if number % 3 == 0:
                memory.apply(memory.plan.archive([identifier]))
            if number % 6 == 0:
                memory.apply(memory.plan.restore([identifier]))


if __name__ == "__main__":
    _work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
