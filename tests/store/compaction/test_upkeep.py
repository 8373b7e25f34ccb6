"""What could go of a memory, at each limit and one beyond, and what goes by itself."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

from store import open_memory
from store.compaction.model import Excess
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, Clock, make_memory, observation

# What is stale goes to the archive after a capture, only where the settings say so.


def test_memories_of_an_old_session_stay_a_month(tmp_path: Path) -> None:
    clock = Clock()
    memory = make_memory(tmp_path, clock, auto_archive=True, stale_archive_after_days=1)
    memory.store([observation("Old", timestamp=NOW - timedelta(days=9))])
    memory.capture.apply(
        memory.capture.plan(_a_ruling("From now on, always sort the imports."), issue=0)
    )
    (archived,) = memory.search_ids("is:archived")
    memory.apply(memory.plan.restore(archived))
    clock.pass_by(days=20)
    memory.capture.apply(
        memory.capture.plan(_a_ruling("We never commit a lock file here."), issue=0)
    )
    assert memory.search_ids("is:archived") == []
    assert memory.upkeep.excess().stale == 3
    clock.pass_by(days=31)
    memory.capture.apply(
        memory.capture.plan(_a_ruling("Never name a branch after a person."), issue=0)
    )
    assert memory.upkeep.excess().stale == 1
    assert len(memory.search_ids("is:archived")) == 3


def _a_ruling(text: str) -> list[bytes]:
    day = NOW - timedelta(days=9)
    said = {"role": "user", "content": text, "timestamp": f"{day:%Y-%m-%dT00:00:00Z}"}
    return [json.dumps(said).encode() + b"\n"]


def test_what_a_person_keeps_in_a_vault_is_never_stale(tmp_path: Path) -> None:
    entry = "<!-- id:1600000000000 -->\n## 2020-09-13T12:26\n\nAn old lesson.\n\n---\n"
    files = {
        "_project.md": "# Shop\n",
        "dev/lessons.md": entry,
        "Old.md": "An old note.\n",
        "dev/Own.md": "---\nagent: dev\ndate: 2020-01-01\n---\nA note of an agent.\n",
    }
    folder = make_vault(tmp_path / ".memory", files)
    for path in folder.rglob("*.md"):
        os.utime(path, (1_600_000_000,) * 2)
    with open_memory(folder, cache=tmp_path / "cache", clock=Clock()) as memory:
        assert len(memory.search_ids("is:stale")) == 4
        assert memory.upkeep.excess() == Excess(stale=1)
        assert [change.id for change in memory.upkeep.plan().changes] == ["1600000000000"] * 2
