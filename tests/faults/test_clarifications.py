"""Many programs on one ledger, killed at random: what was acknowledged stands, and stands once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from store import open_memory
from store.clarifications.rules import Question

ROOT = Path(__file__).parents[2]
_POLL = 0.005
FEW, MANY = (2, 3, 2), (8, 20, 25)


@pytest.mark.parametrize(
    ("writers", "each", "kills"), [FEW, pytest.param(*MANY, marks=pytest.mark.long)]
)
def test_nothing_acknowledged_is_lost(tmp_path: Path, writers: int, each: int, kills: int) -> None:
    memory, chance = tmp_path / ".agentx" / "memory", random.Random(29)
    todo = {f"w{number}": each for number in range(writers)}
    running = {name: _start(memory, tmp_path, name, count) for name, count in todo.items()}
    for number in range(kills):
        most = chance.randint(number, number + each)
        _wait_for(tmp_path, most, running.values())
        name = chance.choice(sorted(running))
        process = running[name]
        process.send_signal(signal.SIGKILL)
        process.wait()
        running[name] = _start(memory, tmp_path, f"{name}k{number}", each)
    for process in running.values():
        assert process.wait(timeout=90) == 0
    said = [line for path in tmp_path.glob("*.log") for line in path.read_text().splitlines()]
    with open_memory(memory, cache=tmp_path / "cache") as opened:
        found = opened.clarifications.read(29)
        undone = opened.history()
    assert found.problems == ()
    ids = Counter(it.id for it in found.clarifications)
    topics = {it.topic: it for it in found.clarifications}
    assert set(ids.values()) == {1} and len(topics) == len(found.clarifications)
    for line in said:
        kind, topic, identifier = line.split()
        assert topics[topic].id == identifier
        if kind == "answered":
            assert topics[topic].thread[-1].body == f"answer to {topic}"
    assert len(said) >= writers * each * 2 and len(undone) >= len(said)


def _wait_for(folder: Path, lines: int, running: Iterable[subprocess.Popen[bytes]]) -> None:
    """Until so much was acknowledged, or nobody is left to say more."""
    while any(process.poll() is None for process in running):
        if sum(path.read_bytes().count(b"\n") for path in folder.glob("*.log")) >= lines:
            return
        time.sleep(_POLL)


def _start(memory: Path, folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    script = [sys.executable, "-P", "-m", "tests.faults.test_clarifications"]
    arguments = [str(memory), str(folder / "cache"), name, str(count), str(folder / f"{name}.log")]
    return subprocess.Popen(
        [*script, *arguments], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def main(memory: str, cache: str, name: str, count: str, log: str) -> None:
    """Ask and answer `count` times; after each note in the log what was acknowledged."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    with open_memory(memory, cache=Path(cache)) as opened:
        for number in range(int(count)):
            topic = f"{name}-{number}"
            asked = opened.clarifications.ask(29, Question(name, "architect", topic, "Why?"))
            os.write(descriptor, f"asked {topic} {asked.id}\n".encode())
            opened.clarifications.answer(asked.id, "architect", f"answer to {topic}")
            os.write(descriptor, f"answered {topic} {asked.id}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
