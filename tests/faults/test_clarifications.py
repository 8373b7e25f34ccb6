"""Many programs on one ledger, killed at random, and a stranger beside them: what was acknowledged
stands, and stands once.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from store import open_memory
from store.clarifications.ledger import folder_of
from store.clarifications.rules import Question
from tests.seeds import foreign_writer

ROOT = Path(__file__).parents[2]
_POLL = 0.005
FEW, MANY = (2, 3, 1, 0), (8, 20, 25, 20)


@pytest.mark.parametrize(
    ("writers", "each", "kills", "foreign_asks"), [FEW, pytest.param(*MANY, marks=pytest.mark.long)]
)
def test_nothing_acknowledged_is_lost(
    tmp_path: Path, writers: int, each: int, kills: int, foreign_asks: int
) -> None:
    memory, chance = tmp_path / ".agentx" / "memory", random.Random(29)
    todo = {f"w{number}": each for number in range(writers)}
    running = {name: _start(memory, tmp_path, name, count) for name, count in todo.items()}
    strangers = [_start(memory, tmp_path, "foreign", foreign_asks)] if foreign_asks else []
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
    for stranger in strangers:
        # A marker that a kill left is broken by who comes next, of ours at once.
        _start(memory, tmp_path, "last", 1).wait(timeout=90)
        assert stranger.wait(timeout=90) == 0
    said = [line for path in tmp_path.glob("*.log") for line in path.read_text().splitlines()]
    with open_memory(memory, cache=tmp_path / "cache") as opened:
        found = opened.clarifications.read(29)
        undone = opened.history.operations()
    assert found.problems == ()
    ids = Counter(it.id for it in found.clarifications)
    topics = {it.topic: it for it in found.clarifications}
    assert set(ids.values()) == {1} and len(topics) == len(found.clarifications)
    for line in said:
        kind, topic, identifier = line.split()
        assert topics[topic].id == identifier
        if kind == "answered":
            assert topics[topic].thread[-1].body == f"answer to {topic}"
    ours = [line for line in said if "foreign" not in line]
    assert len(said) - len(ours) == foreign_asks
    assert len(ours) >= writers * each * 2 and len(undone) >= len(ours)


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
    if name == "foreign":
        _be_foreign(folder_of(Path(memory)) / "issue-29.json", int(count), descriptor)
        return
    with open_memory(memory, cache=Path(cache)) as opened:
        for number in range(int(count)):
            topic = f"{name}-{number}"
            asked = opened.clarifications.ask(29, Question(name, "architect", topic, "Why?"))
            os.write(descriptor, f"asked {topic} {asked.id}\n".encode())
            opened.clarifications.answer(asked.id, "architect", f"answer to {topic}")
            os.write(descriptor, f"answered {topic} {asked.id}\n".encode())


def _be_foreign(ledger: Path, count: int, log: int) -> None:
    """Ask `count` times as another program does, which writes in place."""
    ledger.parent.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        topic = f"foreign-{number}"
        while True:
            with suppress(foreign_writer.GaveUp):
                identifier = foreign_writer.ask(ledger, topic)
                break
        os.write(log, f"asked {topic} {identifier}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
