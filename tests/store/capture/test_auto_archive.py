"""What is stale goes to the archive after a capture, only where the settings say so."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from store import open_memory
from store.backends.location import FOLDER
from store.compaction.model import Excess
from store.settings.schema import Settings
from tests.store.backends.vault.vaults import make_vault
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, observation


@pytest.mark.parametrize("wanted", [True, False])
def test_stale_observations_leave_after_a_capture(tmp_path: Path, wanted: bool) -> None:
    old = NOW - timedelta(days=100)
    memory = open_memory(
        tmp_path / FOLDER,
        cache=tmp_path / "cache",
        settings=Settings(auto_archive=wanted),
        clock=Clock(),
        new_id=Ids(),
    )
    memory.store(
        [
            observation("Old and never recalled", timestamp=old),
            observation("Old and pinned", timestamp=old, pinned=True),
            observation("Old, and still to be done", timestamp=old, category="task"),
            observation("Of today", timestamp=NOW),
        ]
    )
    lines = [f"{line}\n".encode() for line in ClaudeCode().edit("a.py").lines]
    memory.capture.apply(memory.capture.plan(lines, issue=29, environ={}))
    archived = {memory.get(each).content for each in memory.search_ids("is:archived")}
    assert archived == ({"Old and never recalled"} if wanted else set())
    if wanted:
        memory.undo()
        assert memory.search_ids("is:archived") == []


def test_what_an_old_session_taught_stays_a_month_so_that_somebody_is_told_it(
    tmp_path: Path,
) -> None:
    clock = Clock()
    memory = open_memory(
        tmp_path / FOLDER,
        cache=tmp_path / "cache",
        settings=Settings(auto_archive=True, stale_archive_after_days=1),
        clock=clock,
        new_id=Ids(),
    )
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


@pytest.mark.parametrize("wanted", [True, False])
def test_what_is_beyond_a_capacity_leaves_after_a_capture(tmp_path: Path, wanted: bool) -> None:
    memory = open_memory(
        tmp_path / FOLDER,
        cache=tmp_path / "cache",
        settings=Settings(auto_prune=wanted, capacities={"semantic": 2}),
        clock=Clock(),
        new_id=Ids(),
    )
    memory.store([
        observation(f"Fact {number} of the lock", timestamp=NOW - timedelta(days=number))
        for number in range(4)
    ])  # fmt: skip
    lines = [f"{line}\n".encode() for line in ClaudeCode().edit("a.py").lines]
    memory.capture.apply(memory.capture.plan(lines, issue=29, environ={}))
    assert memory.upkeep.excess() == (Excess() if wanted else Excess(beyond=2))
    archived = {memory.get(each).content for each in memory.search_ids("is:archived")}
    gone = {"Fact 2 of the lock", "Fact 3 of the lock"}
    assert archived == (gone if wanted else set())
    if wanted:
        memory.undo()
        assert memory.search_ids("is:archived") == []


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
