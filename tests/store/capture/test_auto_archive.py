"""What is stale goes to the archive after a capture, only where the settings say so."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store.backends.location import FOLDER
from store.pipeline import open_memory
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import NOW, Clock, Ids, make_memory, observation


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
    memory.capture(memory.plan_capture(lines, issue=29, environ={}))
    archived = {memory.get(each).content for each in memory.found_ids("is:archived")}
    assert archived == ({"Old and never recalled"} if wanted else set())
    if wanted:
        memory.undo()
        assert memory.found_ids("is:archived") == []


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
    memory.capture(memory.plan_capture(lines, issue=29, environ={}))
    assert memory.excess() == ((0, 0) if wanted else (0, 2))
    archived = {memory.get(each).content for each in memory.found_ids("is:archived")}
    gone = {"Fact 2 of the lock", "Fact 3 of the lock"}
    assert archived == (gone if wanted else set())
    if wanted:
        memory.undo()
        assert memory.found_ids("is:archived") == []


def test_the_plan_that_makes_room_takes_what_is_stale_then_folds(tmp_path: Path) -> None:
    memory = make_memory(tmp_path)
    assert memory.plan_upkeep().is_empty
    memory.store([observation(f"Chose option {number}") for number in range(31)])
    assert memory.plan_upkeep().kind == "prune"
    memory.store([observation("Old and never recalled", timestamp=NOW - timedelta(days=100))])
    assert memory.excess() == (1, 0)
    memory.apply(memory.plan_upkeep())
    assert memory.excess() == (0, 0)
    memory.undo()
    assert memory.excess() == (1, 0)
