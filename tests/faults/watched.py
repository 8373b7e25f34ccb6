"""An operation on a disk that is watched: its calls in their order, and what comes of one that
fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from memtui.words.notices import sentence
from store.backends.files import stamps
from store.backends.files.locks import StoreLock
from store.backends.location import FOLDER
from store.disk import stamp
from store.errors import StoreError
from store.operations.apply import Applied
from store.pipeline import MemoryPipeline, open_memory
from store.settings.schema import Settings
from tests.faults.disk import SimulatedDisk
from tests.faults.modes import Call, Fault
from tests.faults.operations import TOKEN, Operation
from tests.store.backends.vault.vaults import make_vault
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Ids, observation

_WORKFLOW = """
[[steps]]
agent = "engineer"
can_clarify = ["architect"]
clarify_sla_minutes = 10
"""
_NOTES = {
    "Leases.md": "# Leases\n\n- A lease ends after five seconds\n",
    "Locks.md": "# Locks\n\n- Locks of the kernel die with their process\n",
}
_TALK = [{"role": "agent", "text": f"We decided on number {it}"} for it in range(23)]
_VAULT = {
    "dev/lessons.md": "## A note by hand\n\nIt stays word for word.\n",
    "dev.md": "## Decisions\n\nflat text\n",
    "conversations/dev.json": json.dumps({"agentId": "dev", "messages": _TALK}),
}
_LOCKS = "Locks go stale after thirty seconds"
_HELD = (
    observation("Chose plain files for the record"),
    observation("Chose plain files for the record, since git merges them"),
    observation(_LOCKS, issue_number=30),
)
_EDITED = 1_772_000_000
"""When a person wrote the vault's files, in seconds since 1970."""
_AGES = 10**20
"""Nanoseconds: everything was written just now, however slow the machine is."""


class Outcome(NamedTuple):
    """What was asked of the disk, what was answered and told, and what is left."""

    calls: tuple[str, ...]
    made: tuple[Call, ...]
    answer: str
    files: dict[str, bytes]
    left: str


class Ground:
    """A project in which an operation runs again and again, each time as if for the first time."""

    def __init__(self, root: Path, operation: Operation) -> None:
        self.root, self._ready = root / "run", root / "ready"
        self._operation = operation
        self._project = self.root / "project"
        self._place = self._project / (".memory" if operation.is_vault else FOLDER)
        with held_still():
            self._prepare()
        shutil.copytree(self.root, self._ready)
        self.before = self._files()

    def _prepare(self) -> None:
        """Lay out the project, what lies beside it, and what stands before the operation."""
        workflows = self._project / ".agentx" / "workflows"
        workflows.mkdir(parents=True)
        (workflows / "feature.toml").write_text(_WORKFLOW)
        (self.root / "day.jsonl").write_text("\n".join(a_session().lines))
        for name, text in _NOTES.items():
            (self.root / "notes").mkdir(exist_ok=True)
            (self.root / "notes" / name).write_text(text)
        if self._operation.is_vault:
            make_vault(self._place, _VAULT)
            for name in _VAULT:
                os.utime(self._place / name, (_EDITED, _EDITED))
        if self._operation.is_new:
            return
        with self._opened(0) as memory:
            memory.store(_HELD)
            memory.close()
        with self._opened(1) as memory:
            for step in self._operation.before:
                step(memory)
            memory.close()

    @contextmanager
    def _opened(self, hours: float) -> Iterator[MemoryPipeline]:
        now = NOW + timedelta(hours=hours)
        settings = Settings(**self._operation.settings)
        no_cache, ids = Path(os.devnull) / "cache", Ids("obs" if hours == 0 else f"new-{hours}")
        memory = open_memory(
            self._place, cache=no_cache, settings=settings, clock=lambda: now, new_id=ids
        )
        try:
            yield memory  # not closed: that would mend what is derived
        finally:
            memory.backend.release()

    def run(self, fault: Fault | None = None) -> Outcome:
        """Carry the operation out on a disk that fails as ordered."""
        shutil.rmtree(self.root)
        shutil.copytree(self._ready, self.root)
        told: list[str] = []
        hours = 2 + 24 * self._operation.days
        with held_still(), self._opened(hours) as memory:
            memory.on_problem(lambda it: told.append(f"{it.kind} {it.message}".strip()))
            disk = SimulatedDisk(self._project, fault)
            try:
                with disk.mounted():
                    answer = _told(self._operation.act(memory))
            except StoreError as error:
                answer = f"{type(error).__name__}: {error.message}"
        said = [answer, *(f"told {it}" for it in told)]
        left = [
            *(f"leaves {it}" for it in self._left_behind()),
            *(f"leaves {it} open" for it in disk.left_open),
            *(["leaves it locked"] if StoreLock(self._place).is_held() else []),
        ]
        return Outcome(
            tuple(self._still(f"{it.name} {it.path or '.'}") for it in disk.calls),
            tuple(disk.calls),
            self._still("; ".join(said)),
            self._files(),
            self._still("; ".join(left)),
        )

    def _files(self) -> dict[str, bytes]:
        """What stands, by names that are the same in each run."""
        return {
            self._still(str(it.relative_to(self._project))): self._still_bytes(it.read_bytes())
            for it in sorted(self._project.rglob("*"))
            if it.is_file() and not _OWN.search(it.name)
        }

    def _left_behind(self) -> list[str]:
        there = {it.relative_to(self._ready) for it in self._ready.rglob("*")}
        return sorted(
            str(it.relative_to(self._project))
            for it in self._project.rglob("*")
            if _OWN.search(it.name) or it.name.endswith(".json.lock")
            if it.relative_to(self.root) not in there and "quarantine" not in it.parts
        )

    def _still(self, text: str) -> str:
        return self._still_bytes(text.encode()).decode()

    def _still_bytes(self, data: bytes) -> bytes:
        """A text without what differs from run to run."""
        data = data.replace(str(self.root).encode(), b"(root)")
        for pattern, instead in _STILL:
            data = pattern.sub(instead, data)
        return data


_OWN = re.compile(r"\.[0-9]+-[0-9a-f]{8}\.tmp$")
_STILL = (
    (re.compile(rb"\.[0-9]+-[0-9a-f]{8}\.tmp\b"), b".(own).tmp"),
    (re.compile(rb"\b([0-9]{8}T[0-9]{9})-[0-9a-f]{4}\b"), rb"\1-(id)"),
    (re.compile(rb"Operation [0-9a-f]{4}\b"), b"Operation (id)"),
    (re.compile(rb"\.agentx/(?:memory/)?|\.memory/"), b""),
    (re.compile(rb"recalls/[0-9a-f]{20}\.md"), b"recalls/(text).md"),
    (re.compile(rb"\b[0-9a-f]{20}\.md"), b"(text).md"),
    (re.compile(rb'"tookMs":[0-9.]+'), b'"tookMs":0'),
)


@contextmanager
def held_still() -> Iterator[None]:
    """No file is read, or left unread, for how long ago it was written or looked at; nor is
    anything watched, which takes longer than the rest.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stamp, "_FRESH", _AGES)
        patch.setattr(stamp, "FRESH_COARSE", _AGES)
        patch.setattr(stamps, "_MOMENT", float(_AGES))
        patch.setattr(stamps, "watch", lambda folder: None)
        yield


def a_session() -> ClaudeCode:
    """A session that leaves two memories, a secret in it."""
    it = ClaudeCode(session="s-day").user(
        "The queue runs a job twice. Always run the linter first."
    )
    it.bash("pytest tests -q", "Exit code 1\nqueue.py:7: KeyError: lease", failed=True)
    it.edit("shop/queue.py", "WAIT = 30", "WAIT = 5").bash("pytest tests -q", "12 passed in 0.3s")
    it.agent(f"We decided to keep one row for each queue, since it is cheap. The key: {TOKEN}")
    return it


def _told(done: object) -> str:
    """What an operation says of itself."""
    if not isinstance(done, Applied):
        return "done"
    said = [f"done {done.changed}", *map(sentence, done.left)]
    return "; ".join([*said, *(["unfinished"] if done.unfinished else [])])
