"""What failed while memory went on is told to whoever listens, and stands in the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.words.notices import problem_in_words
from store import Memory
from store.errors import WriteFailed
from tests.store.factories import make_memory, observation


def told_by(memory: Memory) -> list[str]:
    told: list[str] = []
    memory.on_problem(lambda it: told.append(problem_in_words(it.kind, it.message, it.took)))
    return told


def logged(memory: Memory) -> list[tuple[str, str]]:
    found = memory.activity().entries
    return [
        (it.problem, problem_in_words(it.problem, it.message, it.took))
        for it in found
        if it.kind == "warning"
    ]


@pytest.mark.parametrize("is_missing", [False, True])
def test_a_manifest_that_is_rebuilt_is_told(tmp_path: Path, *, is_missing: bool) -> None:
    with make_memory(tmp_path) as memory:
        told = told_by(memory)
        memory.store([observation("One")])
        memory.index.settle()
        (memory.path / "manifest.json").write_text("{")
        if is_missing:
            (memory.path / "manifest.json").unlink()
        memory.store([observation("Two")])
        memory.index.settle()
        assert len(told) == 1
        assert told[0].startswith("Memory manifest rebuilt from issue files (took ")
        # The log rounds the time it took, so that the last digit may be another.
        ((kind, said),) = logged(memory)
        assert (kind, said.partition("took")[0]) == (
            "manifest-rebuilt",
            told[0].partition("took")[0],
        )


def test_a_recall_that_is_not_recorded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise WriteFailed("activity.jsonl could not be written: the disk is full.")

    with make_memory(tmp_path) as memory:
        told = told_by(memory)
        memory.store([observation("One")])
        monkeypatch.setattr(memory.backend.log, "append", full)
        assert memory.recall.inject(memory.recall.plan())
        assert told == [
            "The activity log was not written. "
            "activity.jsonl could not be written: the disk is full."
        ]
