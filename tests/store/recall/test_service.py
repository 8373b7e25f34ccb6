"""What is recorded of an injection, which budget and which moment hold, and what is ranked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from store import Memory, open_memory
from store.errors import NotFound
from store.events import MemoryProblem, MemoryRecalled
from store.settings.schema import Settings
from tests.store.factories import Clock, Ids, logged, make_memory, observation


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store(
        [
            observation("The lock waits for the manifest.", tags=("locks",)),
            observation("The lock is held by the kernel.", issue_number=30),
            observation("The gateway closes.", agent="qa", issue_number=30, category="error"),
        ]
    )
    return memory


def _last(memory: Memory) -> dict[str, Any]:
    return logged(memory.path)[-1]


def test_nothing_told_is_no_injection(memory: Memory) -> None:
    before = logged(memory.path)
    assert memory.recall.inject(memory.recall.plan(None, 29, "lock", budget=0)) == ""
    assert logged(memory.path) == before


def test_a_text_is_kept_once_and_told_each_time_also_where_it_can_not_be_kept(
    memory: Memory,
) -> None:
    recall = memory.recall.plan(None, 29, "lock", budget=600)
    told: list[MemoryRecalled] = []
    heard: list[str] = []
    memory.events.subscribe(MemoryRecalled, told.append)
    memory.events.subscribe(MemoryProblem, lambda it: heard.append(it.kind))
    for _ in range(2):
        memory.recall.inject(recall)
    names = {it.text for it in told}
    assert len(names) == 1
    folder = memory.path / "recalls"
    assert [it.stem for it in folder.iterdir()] == [*names]
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    assert memory.recall.inject(recall) == recall.text
    assert (told[2].text, told[2].count, heard) == ("", len(recall.included), ["recall-not-kept"])


def test_a_text_that_is_kept_lets_those_go_that_are_kept_too_long(tmp_path: Path) -> None:
    clock = Clock()
    chosen = Settings(recall_texts_days=2)
    with open_memory(
        tmp_path / "m", cache=tmp_path / "c", clock=clock, new_id=Ids(), settings=chosen
    ) as memory:
        memory.store([observation("The lock waits for the manifest.")])
        names: list[str] = []
        for days in (0, 1, 2.5, 1.5):
            clock.pass_by(days=days)
            memory.recall.record_accesses("qa", {"obs-1": 1}, f"Told {len(names)}.", 3)
            names.append(_last(memory)["text"])
            for each in (tmp_path / "m" / "recalls").glob(f"{names[-1]}*"):
                os.utime(each, (clock.now.timestamp(),) * 2)
        for name in names[:2]:
            with pytest.raises(NotFound, match="has expired"):
                memory.recall.injected_text(name)
        assert [memory.recall.injected_text(it) for it in names[2:]] == ["Told 2.", "Told 3."]
