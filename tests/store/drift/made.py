"""Repositories with made histories, and memories of their code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.drift.verdicts import Drift, drift_of
from store.model import Observation
from tests.store.factories import observation
from tests.store.repositories import repository

BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUEUE = """import time

PAUSE = 3


def wait(seconds):
    time.sleep(seconds)


def drain_all(queue):
    while queue:
        queue.pop()
    return queue


class Closed(Exception):
    pass
"""
OTHER = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(20))


class Made:
    """A repository whose commits are a day apart, with a memory of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "shop", folder / "cache"
        self.git = repository(self.root)
        self.day = 0
        self.write("shop/queue.py", QUEUE)
        self.write("shop/other.py", OTHER)
        self.write(".gitignore", ".agentx/\n")
        self.commit()

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def edit(self, path: str, before: str, after: str) -> None:
        text = (self.root / path).read_text()
        assert before in text
        self.write(path, text.replace(before, after))

    def commit(self) -> str:
        """Commit all there is, a day later; return the commit."""
        self.day += 1
        self.git.date = (BEGAN + timedelta(days=self.day)).isoformat()
        self.git.commit(f"Day {self.day}")
        return self.git("rev-parse", "HEAD").said.strip()

    def open(self) -> Memory:
        return open_memory(self.root / FOLDER, cache=self.cache)

    def memory(self, content: str, **fields: Any) -> Observation:  # noqa: ANN401
        """A memory made an hour after the last commit, without an anchor."""
        when = BEGAN + timedelta(days=self.day, hours=1)
        return observation(content, timestamp=when, **fields)

    def verdicts(self, memory: Memory) -> dict[str, Drift]:
        """The verdicts by the first words of the memories."""
        memory.drift.refresh()
        found = memory.drift.verdicts()
        return {one.content[:20]: found.of(one) for one in memory.by_issue(29)}

    def verdict(self, memory: Memory) -> Drift:
        memory.drift.refresh()
        ((_, drift, *_),) = memory.drift.verdicts().entries.values()
        return drift_of(drift)
