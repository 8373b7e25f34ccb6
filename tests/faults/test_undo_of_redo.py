"""Undo and redo that are interrupted: what shows says what the next one takes back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from store import Memory
from store.errors import NotFound
from tests.faults.steps import SAMPLED, at_each_call
from tests.store.factories import make_memory, observation

Ask = Callable[[Memory], object]


def _undo(memory: Memory) -> object:
    return memory.undo()


def _redo(memory: Memory) -> object:
    return memory.redo()


def _held(memory: Memory) -> set[str]:
    return {it.id for it in (*memory.by_issue(29), *memory.by_issue(30))}


WHOLE, GONE = {"obs-1", "obs-2", "obs-3"}, {"obs-1"}


@SAMPLED
@pytest.mark.parametrize("before", [(), (_undo,), (_undo, _redo), (_undo, _redo, _undo)])
def test_an_undo_or_redo_broken_off_is_taken_back_itself(
    tmp_path: Path, before: tuple[Ask, ...], every: int
) -> None:
    """Never an older operation in its place; redo and undo go on from there."""
    act = _redo if before and before[-1] is _undo else _undo

    def prepare(folder: Path) -> None:
        with make_memory(folder) as memory:
            memory.store([observation("One"), observation("Two")])
            memory.store([observation("Three", issue_number=30)])
            memory.apply(memory.plan.remove(["obs-2", "obs-3"]))
            for step in before:
                step(memory)
        shutil.rmtree(folder / "cache")

    def step(folder: Path) -> None:
        act(make_memory(folder))

    def check(folder: Path, where: str) -> None:
        with make_memory(folder) as memory:
            if _held(memory) != WHOLE:
                memory.undo()
                assert _held(memory) == WHOLE, where
            memory.redo()
            assert _held(memory) == GONE, where
            with pytest.raises(NotFound):
                memory.redo()
            memory.undo()
            assert _held(memory) == WHOLE, where
            memory.redo()
            assert _held(memory) == GONE, where

    assert at_each_call(tmp_path, prepare, step, check, every) > 30
