"""A world of a test's own, one that a foreign program wrote for all tests of a module, a vault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.backends.files.locks import StoreLock
from tests.seeds import foreign_writer
from tests.seeds.vaults import FILES
from tests.seeds.world import World
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import record

FOREIGN = (
    record("obs-engineer-29-1709035200000-a1b2c3", content="Chose one JSON file an issue"),
    record(
        "obs-engineer-29-1709035200001-b1b2c3",
        category="error",
        content="Lock timeout on manifest.json after 5 retries",
        summary="Lock timeout on manifest.json",
        recallCount=3,
    ),
    record(
        "obs-reviewer-31-1709035200002-c1b2c3",
        agent="reviewer",
        issueNumber=31,
        category="key-fact",
        content="Stale locks older than 30 seconds are removed",
        summary="Stale locks are removed",
        timestamp="2026-02-20T10:00:00.000Z",
    ),
    record(
        "obs-engineer-29-1709035200003-d1b2c3",
        category="code-change",
        content="Created store/locks.py with an exclusive marker",
        summary="Created store/locks.py",
        timestamp="2026-02-28T10:00:00.000Z",
    ),
    record(
        "obs-architect-0-1709035200004-e1b2c3",
        agent="architect",
        issueNumber=0,
        category="compaction-summary",
        content="Planned the store in three phases",
        summary="Planned the store",
    ),
)
"""What the foreign program wrote, all in February 2026."""


@pytest.fixture(scope="session", autouse=True)
def _no_terminal_of_ours() -> Iterator[None]:
    """No test sees the agent or the memory of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MEMTUI_DIR", "MEMTUI_AGENT", "MEMTUI_ISSUE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def world(home: Path) -> World:
    """A project whose memory is empty."""
    return World(home)


@pytest.fixture
def hasty(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world in which nobody waits long for a lock."""
    monkeypatch.setattr(StoreLock.__init__, "__kwdefaults__", {"timeout": 0.05})
    return world


@pytest.fixture
def vault(home: Path) -> World:
    """A project whose memory is a vault."""
    made = World(home, ".memory")
    make_vault(made.path, FILES)
    return made


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A memory that AgentX wrote, which nobody changes."""
    made = World(tmp_path_factory.mktemp("foreign"))
    made.path.mkdir(parents=True)
    for written in FOREIGN:
        foreign_writer.add(made.path, written)
    return made
