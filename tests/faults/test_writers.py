"""Many writers at once, killed at random: nothing acknowledged is lost, and nothing is doubled."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from store import Observation, open_memory
from tests.faults.writer import SHARED

ROOT = Path(__file__).parents[2]
LONGEST_WAIT = 1.0
"""Seconds that an operation of ours may take while everybody writes, on a machine that never stops
a program."""
STOPS = 10
"""Stops of the machine that one operation may meet, its own or those of whom it waits for."""
_POLL = 0.005


@dataclass(slots=True)
class _Crew:
    """The writers of one run: what is alive, what they logged, how many were killed.

    `longest_stop`: seconds that the machine kept one from going on who waited for nobody.
    """

    folder: Path
    logs: Path
    kind: str = "ours"
    alive: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)
    strangers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kills: int = 0
    longest_stop: float = 0

    @property
    def longest_wait(self) -> float:
        """Seconds that an operation of ours may have taken on this machine."""
        return LONGEST_WAIT + STOPS * self.longest_stop

    def pause(self) -> None:
        """Sleep a little and notice how much longer it took."""
        start = time.monotonic()
        time.sleep(_POLL)
        self.longest_stop = max(self.longest_stop, time.monotonic() - start - _POLL)

    def hire(self, name: str, count: int) -> None:
        self.tasks[name] = count
        self.alive[name] = self.start(self.kind, name, count)

    def start(self, kind: str, name: str, count: int) -> subprocess.Popen[bytes]:
        log = self.logs / f"{kind}-{name}.jsonl"
        command = [sys.executable, "-m", "tests.faults.writer", kind, str(self.folder), name]
        return subprocess.Popen([*command, str(count), str(log)], cwd=ROOT)

    def answers(self, kind: str, name: str = "*") -> list[dict[str, Any]]:
        """What the writers of a kind logged; a line cut by a kill is none."""
        logs = self.logs.glob(f"{kind}-{name}.jsonl")
        lines = [line for log in sorted(logs) for line in log.read_bytes().splitlines(True)]
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def kill(self, name: str) -> None:
        """Kill a writer wherever it is and let another do what is left of its work."""
        victim = self.alive.pop(name)
        victim.send_signal(signal.SIGKILL)
        if victim.wait() != -signal.SIGKILL:
            self.alive[name] = victim
            return
        self.kills += 1
        left = self.tasks.pop(name) - len(self.answers(self.kind, name))
        self.hire(f"{name}-{self.kills}", max(left, 1))


def _run(
    tmp_path: Path, kind: str = "ours", *, ours: int, strangers: int = 0, count: int, kills: int
) -> _Crew:
    """Let them all write, killing ours whenever another share of the work is done."""
    crew = _Crew(tmp_path / ".agentx" / "memory", tmp_path, kind)
    _store(crew.folder, SHARED)
    chance = random.Random(29)
    for number in range(strangers):
        crew.strangers.append(crew.start("foreign", f"stranger{number}", count))
    for letter in "abcdefgh"[:ours]:
        crew.hire(letter, count)
    while any(writer.poll() is None for writer in crew.alive.values()):
        done = len(crew.answers(kind)) / (ours * count)
        running = [name for name, writer in crew.alive.items() if writer.poll() is None]
        if crew.kills < kills and running and done >= crew.kills / kills * 0.9:
            time.sleep(chance.uniform(0, 0.02))
            crew.kill(chance.choice(running))
        crew.pause()
    for writer in [*crew.strangers, *crew.alive.values()]:
        assert writer.wait(timeout=60) == 0
    return crew


def _store(folder: Path, text: str) -> None:
    fact = Observation(agent="engineer", issue_number=29, category="key-fact", content=text)
    with open_memory(folder, cache=folder.with_name("cache")) as memory:
        memory.store([fact])


def _check(crew: _Crew) -> float:
    """Compare what stands with what was answered; returns the longest wait of ours in seconds.

    Then another process writes, after which manifest and index must be in step and no marker left.
    """
    records = [
        record
        for path in crew.folder.glob("issue-*.json")
        for record in json.loads(path.read_bytes())["observations"]
    ]
    ours, theirs = crew.answers("ours"), crew.answers("foreign")
    stands = Counter(record["content"] for record in records)
    answered = Counter(answer["text"] for answer in [*ours, *theirs])
    times_shared = answered.pop(SHARED)
    assert not answered.keys() - stands.keys(), "acknowledged observations are lost"
    assert set(stands.values()) == {1}, "observations stand twice"
    seen = next(record["seenCount"] for record in records if record["content"] == SHARED) - 1
    unanswered = len(stands) - 1 - len(answered) + seen - times_shared
    assert seen >= times_shared, "acknowledged updates are lost"
    assert 0 <= unanswered <= crew.kills, "more was written than was asked for"
    assert len({record["id"] for record in records}) == len(records), "ids stand twice"
    _store(crew.folder, "the last")
    listed = json.loads((crew.folder / "manifest.json").read_bytes())["entries"]
    assert Counter(entry["id"] for entry in listed).total() == len(records) + 1
    with open_memory(crew.folder, cache=crew.folder.with_name("cache")) as memory:
        assert memory.search(limit=1).total == len(records) + 1
    assert not list(crew.folder.glob("*.json.lock"))
    return max(float(answer["seconds"]) for answer in ours)


@pytest.mark.parametrize(
    ("ours", "strangers", "count", "kills"),
    [(2, 1, 12, 2), pytest.param(8, 2, 100, 25, marks=pytest.mark.long)],
)
def test_writers_and_strangers_lose_nothing(
    tmp_path: Path, ours: int, strangers: int, count: int, kills: int
) -> None:
    crew = _run(tmp_path, ours=ours, strangers=strangers, count=count, kills=kills)
    assert _check(crew) < crew.longest_wait
    assert crew.kills == kills


@pytest.mark.parametrize(
    ("writers", "count", "kills"), [(2, 3, 1), pytest.param(8, 20, 25, marks=pytest.mark.long)]
)
def test_questions_of_many_programs_are_kept_once(
    tmp_path: Path, writers: int, count: int, kills: int
) -> None:
    crew = _run(tmp_path, "asking", ours=writers, count=count, kills=kills)
    with open_memory(crew.folder, cache=crew.folder.with_name("cache")) as memory:
        found = memory.clarifications.read(29)
        operations = memory.history.operations()
    assert found.problems == ()
    topics = {it.topic: it for it in found.clarifications}
    assert len(topics) == len({it.id for it in found.clarifications}) == len(found.clarifications)
    answered = [answer["text"] for answer in crew.answers("asking")]
    assert len(answered) >= writers * count and len(operations) >= 2 * len(answered)
    for topic in answered:
        assert topics[topic].thread[-1].body == f"answer to {topic}"
