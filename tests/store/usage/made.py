"""A project whose sessions are given memories, do something, and are captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.recall.reasons import Reason, Verdict
from store.recall.values import Recall, ScoredCandidate
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids

Talk = Callable[[ClaudeCode], object]


def edited(path: str, *, failed: bool = False) -> Talk:
    return lambda made: made.edit(path, failed=failed)


def ran(command: str, result: str = "", *, failed: bool = False) -> Talk:
    return lambda made: made.bash(command, result, failed=failed)


class Project:
    """The project; its sessions are `s-1`, `s-2` …"""

    def __init__(self, folder: Path) -> None:
        self.root, self.clock, self.ids = folder / "shop", Clock(), Ids()
        self.place = self.root / FOLDER
        self.cache = self.place.parent / "cache"
        self.sessions = 0

    def open(self) -> Memory:
        return open_memory(self.place, cache=self.cache, clock=self.clock, new_id=self.ids)

    def session(self, memory: Memory, told: Sequence[str], *talks: Talk) -> Path:
        """Have a session that is given memories at its start, and is captured as it ends."""
        self.sessions += 1
        name = f"s-{self.sessions}"
        made = ClaudeCode(session=name, cwd=str(self.root)).user("Make the waiting shorter.")
        for talk in talks:
            talk(made)
        for _ in range(self.sessions):  # each ends a second after the one before
            made.agent("Looking.")
        self.clock.now = NOW - timedelta(minutes=60 - self.sessions)
        inject(memory, told, name)
        path = made.agent("Done.").write(self.root.parent / f"{name}.jsonl")
        with path.open("rb") as lines:
            memory.capture.apply(memory.capture.plan(lines, environ={}, session_id=name))
        return path


def inject(
    memory: Memory, told: Sequence[str], session_id: str, about: tuple[str, ...] = ()
) -> None:
    """Tell a session memories, as a hook does."""
    found = [memory.get(identifier) for identifier in told]
    included = [
        ScoredCandidate(one, lambda each: each, 1.0, {}, True, Reason(Verdict.PINNED))
        for one in found
    ]
    text = "\n".join(one.content for one in found)
    memory.recall.inject(Recall(tuple(included), text), session_id=session_id, about=about)
