"""What could go of a memory, at each limit and one beyond, and what goes by itself."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.compaction import service as upkeep
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


def test_capacities_are_each_agents_own(tmp_path: Path) -> None:
    memory = _opened(tmp_path, capacities={"semantic": 1, "episodic": 1})
    memory.store(
        [
            *(_made(f"{agent}{at}", at, agent=agent) for agent in ("x", "y") for at in range(3)),
            *(_made(f"z{at}", at, agent="x", category="error") for at in range(2)),
        ]
    )
    assert memory.upkeep.excess() == Excess(0, 5, 0)
    assert _ids(memory.upkeep.plan()) == ["w-x1", "w-x2", "w-y1", "w-y2", "w-z1"]


def test_what_may_not_be_moved_of_one_layer_is_not_counted_by_another(tmp_path: Path) -> None:
    memory = _opened(tmp_path, capacities={"semantic": 1, "episodic": 1})
    memory.store(
        [
            *(_made(f"a{at}", at) for at in range(3)),
            *(_made(f"e{at}", at, category="error", pinned=True) for at in range(3)),
        ]
    )
    assert memory.upkeep.excess() == Excess(0, 2, 0)
    assert _ids(memory.upkeep.plan()) == ["w-a1", "w-a2"]


@pytest.mark.parametrize("full", ["k", "x", "z"])
def test_an_agent_within_its_capacity_hides_none_that_is_not(tmp_path: Path, full: str) -> None:
    memory = _opened(tmp_path, capacities={"procedural": 9, "semantic": 1, "episodic": 2})
    numbers = {agent: 3 if agent == full else 1 for agent in ("k", "x", "y", "z")}
    memory.store(
        [
            *(
                _made(f"{it}{at}", at, agent=it)
                for it, most in numbers.items()
                for at in range(most)
            ),
            *(_made(f"e{at}", at, agent="y", category="error") for at in range(3)),
        ]
    )
    assert memory.upkeep.excess() == Excess(0, 3, 0)
    assert _ids(memory.upkeep.plan()) == sorted([f"w-{full}1", f"w-{full}2", "w-e2"])


def test_what_is_beyond_goes_first_then_what_is_stale_then_the_oldest_of_many(
    tmp_path: Path,
) -> None:
    memory = _opened(tmp_path, capacities={"semantic": 2}, stale_archive_after_days=9)
    assert memory.upkeep.plan().is_empty
    memory.store([_made("a", 1), _made("b", 2), _made("old", 30, category="error")])
    assert _ids(memory.upkeep.plan()) == ["w-old"]
    memory.store([_made("c", 3)])
    assert _ids(memory.upkeep.plan()) == ["w-c"]
    memory.apply(memory.upkeep.plan())
    memory.apply(memory.upkeep.plan())
    assert memory.upkeep.plan().is_empty
    memory.store([_made(f"e{at:02d}", 1 + at / 10, category="error") for at in range(31)])
    folded = {f"w-e{at}" for at in range(20, 31)}
    assert folded < set(_ids(memory.upkeep.plan()))


@pytest.mark.parametrize(
    ("bytes_more", "number_more", "is_large"), [(0, 0, False), (-1, 0, True), (0, -1, True)]
)
def test_a_memory_is_large_beyond_either_limit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bytes_more: int,
    number_more: int,
    is_large: bool,
) -> None:
    memory = _opened(tmp_path)
    memory.store([_made("a", 1), _made("b", 1)])
    size = memory.stats().size_bytes or 0
    monkeypatch.setattr(upkeep, "LARGE_STORE", size + bytes_more)
    monkeypatch.setattr(upkeep, "MANY_OBSERVATIONS", 2 + number_more)
    assert memory.upkeep.excess() == Excess(0, 0, size if is_large else 0)


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


def test_what_was_brought_lately_stays_and_what_else_is_stale_goes(tmp_path: Path) -> None:
    clock = Clock()
    memory = open_memory(
        str(tmp_path / "memory"), cache=tmp_path / "cache", clock=clock, new_id=Ids(),
        settings=Settings(auto_archive=True, stale_archive_after_days=20),
    )  # fmt: skip
    nothing = [b'{"role": "user", "content": "hello"}\n']
    memory.store([_made("a", 90), _made("b", 91)])
    memory.history.add([_made("c", 92), _made("d", 93)], "capture")
    undone = memory.history.add([_made("e", 94)], "import")
    memory.undo(undone.operation_id)
    memory.store([_made("e", 94)])
    memory.capture.apply(memory.capture.plan(nothing, format="conversation-lines", issue=29))
    assert _standing(memory) == ["w-c", "w-d"]
    clock.pass_by(days=29)
    memory.capture.apply(memory.capture.plan(nothing, format="conversation-lines", issue=29))
    assert _standing(memory) == ["w-c", "w-d"]
    clock.pass_by(days=1, seconds=1)
    memory.capture.apply(memory.capture.plan(nothing, format="conversation-lines", issue=29))
    assert _standing(memory) == []


def test_of_a_vault_a_persons_notes_stay_however_old(tmp_path: Path) -> None:
    memory = _opened(tmp_path, vault=True, stale_archive_after_days=9)
    memory.store([_made("old", 30)])
    (tmp_path / "notes" / "mine.md").write_text("# Mine\n\nWritten long ago.\n")
    assert memory.upkeep.excess().stale == 1
    assert len(_ids(memory.upkeep.plan())) == 1


def test_its_size_is_that_of_what_was_just_stored(tmp_path: Path) -> None:
    memory = _opened(tmp_path)
    memory.store([_made("a", 1)])
    memory.index.refresh()
    files = (it for it in (tmp_path / "memory").rglob("[!.]*") if it.is_file())
    size = sum(it.stat().st_size for it in files)
    assert memory.stats().size_bytes == memory.statistics().size_bytes == size
