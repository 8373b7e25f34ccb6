"""Alerts of SPEC-29 §12.3: their texts, each told once, in the log and to who listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.words.notices import problem_in_words
from store.backends.files.backend import FilesBackend
from store.events import MemoryProblem
from store.search import alerts
from tests.store.factories import make_memory, observation


def _add(folder: Path, text: str) -> list[str]:
    """What is told while an observation is stored by a program of its own."""
    told: list[str] = []

    def tell(it: MemoryProblem) -> None:
        told.append(problem_in_words(it.kind, it.message, it.took))

    with make_memory(folder, prefix=text[:9]) as memory:
        memory.on_problem(tell)
        memory.store([observation(text)])
    return told


def test_many_observations_are_told_once_until_there_are_fewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Memory store has 2 memories. Consider compaction."
    monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", 1)
    assert _add(tmp_path, "first lock") == []
    assert _add(tmp_path, "second lock") == [said]
    assert _add(tmp_path, "third lock") == []
    monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", 40_000)
    assert _add(tmp_path, "fourth lock") == []
    monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", 1)
    assert _add(tmp_path, "fifth lock") == [said.replace("2", "5")]
    with make_memory(tmp_path) as memory:
        warned = [it.problem for it in memory.activity().entries if it.kind == "warning"]
    assert warned == ["store-many", "store-many"]


def test_of_two_limits_each_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    sizes = iter((40_000_001, 40_000_001, 40_000_000, 40_000_001))
    with make_memory(tmp_path) as memory:
        memory.on_problem(lambda it: heard.append(it.kind))
        for at, most in enumerate((9, 1, 1, 1)):
            size = next(sizes)
            monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", most)
            monkeypatch.setattr(FilesBackend, "size", lambda self, size=size: size)
            memory.store([observation(f"Lock {at}")])
            memory.index.settle()
    assert heard == ["store-large", "store-many", "store-large"]
