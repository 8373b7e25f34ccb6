"""Machines that sync through a bare repository: each a home of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from store.backends.user_data import mine_memory
from store.memory import Memory
from store.model import Location, Observation
from store.settings.schema import Settings
from store.sync.plan import Synced, SyncPlan
from store.sync.sync import Sync

START = datetime(2026, 2, 27, 10, tzinfo=UTC)


def bare(folder: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    return folder


class Machine:
    """A home with memories, and the repository that it syncs with. Its clock moves on by itself."""

    ticks = 0

    def __init__(self, home: Path, remote: Path | str, **settings: object) -> None:
        self.home = home
        self.settings = Settings(sync_remote=str(remote), **settings)  # type: ignore[arg-type]

    @contextmanager
    def at_home(self) -> Iterator[None]:
        folders = {
            f"XDG_{kind}_HOME": str(self.home / kind.lower())
            for kind in ("DATA", "CACHE", "CONFIG", "STATE")
        }
        self.home.mkdir(parents=True, exist_ok=True)
        with mock.patch.dict(os.environ, {"HOME": str(self.home), **folders}):
            yield

    def now(self) -> datetime:
        Machine.ticks += 1
        return START + timedelta(seconds=Machine.ticks)

    def new_id(self, agent: str, issue: int, when: datetime) -> str:
        Machine.ticks += 1
        return f"obs-{agent}-{issue}-{int(when.timestamp() * 1000)}-{Machine.ticks:06}"

    @contextmanager
    def memory(self, folder: Path | None = None) -> Iterator[Memory]:
        """The user's own memory on this machine, or another one."""
        with self.at_home(), self._opened(folder or mine_memory()) as memory:
            yield memory

    def _opened(self, folder: Path) -> Memory:
        return Memory(folder, settings=self.settings, clock=self.now, new_id=self.new_id)

    def add(self, content: str, *, memory: Path | None = None, **fields: object) -> str:
        given = {"agent": "engineer", "issue_number": 0, "category": "lesson", **fields}
        with self.memory(memory) as opened:
            return opened.add([Observation(content=content, **given)]).ids[0]  # type: ignore[arg-type]

    def edit(self, identifier: str, **fields: object) -> None:
        with self.memory() as opened:
            opened.apply(opened.plan.edit(identifier, fields))

    def remove(self, identifier: str) -> None:
        with self.memory() as opened:
            opened.apply(opened.plan.remove(identifier))

    def plan(self) -> SyncPlan:
        with self.at_home():
            return self.new_sync().plan()

    def sync(self) -> Synced:
        with self.at_home():
            return self.new_sync().run()

    def new_sync(self) -> Sync:
        return Sync(self.settings, clock=self.now, open_memory=self._opened)

    def held(self, folder: Path | None = None) -> dict[str, str]:
        """The contents of what is in a memory, by id; what is archived in brackets."""
        with self.memory(folder) as opened:
            return {
                held.observation.id: held.observation.content
                if held.location is Location.ISSUE
                else f"({held.observation.content})"
                for issue in sorted(opened.backend.issues())
                for held in opened.backend.read(issue).held()
                if held.observation is not None
            }
