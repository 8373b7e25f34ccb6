"""What could go of a memory, at each limit and one beyond, and what goes by itself."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.compaction.model import Excess
from store.model import Observation
from store.operations.plan import Plan
from store.settings.schema import Settings
from tests.store.factories import NOW, Clock, Ids, observation


def _opened(root: Path, *, vault: bool = False, **chosen: Any) -> Memory:  # noqa: ANN401
    place = f"vault://{root / 'notes'}" if vault else str(root / "memory")
    if vault:
        (root / "notes").mkdir()
    return open_memory(
        place, cache=root / "cache", clock=Clock(), new_id=Ids(), settings=Settings(**chosen)
    )


def _made(name: str, days: float, **fields: Any) -> Observation:  # noqa: ANN401
    at = NOW - timedelta(days=days)
    return observation(f"The lease of {name} ends.", id=f"w-{name}", timestamp=at, **fields)


def _ids(plan: Plan | None) -> list[str]:
    return sorted({it.id for it in plan.changes}) if plan else []


def _standing(memory: Memory) -> list[str]:
    return sorted(it.id for it in memory.by_issue(29) if not it.archived)


def test_what_is_stale_goes_and_what_is_open_stays(tmp_path: Path) -> None:
    memory = _opened(tmp_path, stale_archive_after_days=9)
    memory.store(
        [
            _made("young", 8.9),
            _made("old", 9.1),
            _made("open", 90, category="task"),
            _made("older", 80),
        ]
    )
    assert memory.upkeep.excess() == memory.upkeep.excess(fresh=False) == Excess(2, 0, 0)
    assert _ids(memory.upkeep.plan()) == ["w-old", "w-older"]


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
    memory = _opened(tmp_path, capacities={"semantic": most})
    made = [_made(it, 1 + at, pinned=it in pinned) for at, it in enumerate("abc")]
    memory.store([*made, _made("other", 3, agent="tester"), _made("event", 2, category="error")])
    assert memory.upkeep.excess() == Excess(0, beyond, 0)
    assert _ids(memory.upkeep.plan()) == goes


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ({}, ["w-a", "w-b", "w-c", "w-old"]),
        ({"auto_archive": True}, ["w-a", "w-b", "w-c"]),
        ({"auto_prune": True}, ["w-a", "w-b"]),
        ({"auto_prune": True, "capacities": {}}, ["w-a", "w-b", "w-c", "w-old"]),
        ({"auto_archive": True, "auto_prune": True}, ["w-a", "w-b"]),
    ],
)
def test_what_goes_by_itself_after_a_capture(
    tmp_path: Path, chosen: dict[str, Any], left: list[str]
) -> None:
    given = {"stale_archive_after_days": 20, "capacities": {"semantic": 2}, **chosen}
    memory = _opened(tmp_path, **given)
    memory.store([_made("a", 1), _made("b", 2), _made("c", 3), _made("old", 30)])
    plan = memory.capture.plan(
        [b'{"role": "user", "content": "hello"}\n'], format="conversation-lines", issue=29
    )
    memory.capture.apply(plan)
    assert _standing(memory) == left


def test_of_a_vault_a_persons_notes_stay_however_old(tmp_path: Path) -> None:
    memory = _opened(tmp_path, vault=True, stale_archive_after_days=9)
    memory.store([_made("old", 30)])
    (tmp_path / "notes" / "mine.md").write_text("# Mine\n\nWritten long ago.\n")
    assert memory.upkeep.excess().stale == 1
    assert len(_ids(memory.upkeep.plan())) == 1
