"""What could go of a memory, at each limit and one beyond, and what goes by itself."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import open_memory
from store.compaction.model import Excess
from store.model import Observation
from store.operations.plan import Plan
from tests.store.backends.vault.vaults import make_vault
from tests.store.factories import NOW, Clock, make_memory, observation


def _made(name: str, days: float, **fields: Any) -> Observation:  # noqa: ANN401
    at = NOW - timedelta(days=days)
    return observation(f"The lease of {name} ends.", id=f"w-{name}", timestamp=at, **fields)


def _ids(plan: Plan | None) -> list[str]:
    return sorted({it.id for it in plan.changes}) if plan else []


@pytest.mark.parametrize(
    ("most", "pinned", "beyond", "goes"),
    [
        (3, (), 0, []),
        (2, (), 1, ["w-c"]),
        (1, (), 2, ["w-b", "w-c"]),
        (1, ("b", "c"), 1, ["w-a"]),
        (1, ("a", "b", "c"), 0, []),
        (1, ("c",), 2, ["w-a", "w-b"]),
    ],
)
def test_what_is_beyond_a_capacity_is_counted_as_it_is_planned(
    tmp_path: Path, most: int, pinned: tuple[str, ...], beyond: int, goes: list[str]
) -> None:
    memory = make_memory(tmp_path, capacities={"semantic": most})
    made = [_made(it, 1 + at, pinned=it in pinned) for at, it in enumerate("abc")]
    memory.store([*made, _made("other", 3, agent="tester"), _made("event", 2, category="error")])
    assert memory.upkeep.excess() == Excess(0, beyond, 0)
    assert _ids(memory.upkeep.plan()) == goes


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
