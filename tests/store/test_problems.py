"""What failed while memory went on is told to whoever listens, and stands in the log."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from memtui.words.notices import problem_in_words
from store import Memory, open_memory
from store.errors import LockTimeout, StoreError, WriteFailed
from store.settings.schema import Settings
from tests.store.factories import NOW, make_memory, observation
from tests.store.test_capture_undone import LINES


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


def test_a_manifest_that_is_rebuilt_is_told(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        told = told_by(memory)
        memory.store([observation("One")])
        memory.index.settle()
        (memory.path / "manifest.json").write_text("{")
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


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (LockTimeout("manifest.json.lock is held by another program."), "lock-timeout"),
        (WriteFailed("manifest.json could not be written: the disk is full."), "not-settled"),
    ],
)
def test_what_fails_while_settling_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: StoreError, kind: str
) -> None:
    def locked(*_: object) -> None:
        raise error

    monkeypatch.setattr("store.backends.files.manifest.settle_manifest", locked)
    with make_memory(tmp_path) as memory:
        told = told_by(memory)
        memory.store([observation("One")])
        memory.index.settle()
        assert [error.message in it for it in told] == [True]
        assert [it for it, _ in logged(memory)] == [kind]


def test_a_recall_that_is_not_recorded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise WriteFailed("activity.jsonl could not be written: the disk is full.")

    with make_memory(tmp_path) as memory:
        told = told_by(memory)
        memory.store([observation("One")])
        monkeypatch.setattr(memory.backend, "append_activity", full)
        assert memory.recall.inject(memory.recall.plan())
        assert told == [
            "The activity log was not written. "
            "activity.jsonl could not be written: the disk is full."
        ]


def test_a_capture_that_gets_no_lock_says_what_was_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        file = "issue-29.json.lock"
        raise LockTimeout(f"{file} has been locked by agentx for more than 5 s.", on=file)

    with make_memory(tmp_path) as memory:
        plan = memory.capture.plan(LINES, agent="engineer", issue=29, environ={}, session_id="s1")
        monkeypatch.setattr(memory.backend, "changing", locked)
        with pytest.raises(LockTimeout) as caught:
            memory.capture.apply(plan)
        assert caught.value.message.startswith(
            "Memory capture skipped: lock timeout on issue-29.json.lock. "
        )


@pytest.mark.parametrize(
    ("days", "megabytes", "kept"),
    [(3, 1, {"new"}), (3, 9, {"new", "older"}), (5, 9, {"new", "older", "old"})],
)
def test_texts_of_injections_expire_by_age_and_by_size(
    tmp_path: Path, days: int, megabytes: int, kept: set[str]
) -> None:
    settings = Settings(recall_texts_days=days, recall_texts_mb=megabytes)
    with open_memory(
        tmp_path / ".agentx/memory", cache=tmp_path, settings=settings, clock=lambda: NOW
    ) as memory:
        memory.store([observation("One")])
        folder = memory.path / "recalls"
        folder.mkdir()
        for name, age, size in (("new", 1.5, 600_000), ("older", 2, 600_000), ("old", 6, 10)):
            (folder / f"{name}.md").write_bytes(b"x" * size)
            time = (NOW - timedelta(days=age)).timestamp()
            os.utime(folder / f"{name}.md", (time, time))
        memory.recall.inject(memory.recall.plan())
        names = {path.stem for path in folder.iterdir()}
        assert len(names) == len(kept) + 1
        assert kept <= names


def test_an_error_reads_as_its_sentence() -> None:
    assert str(WriteFailed("The disk is full.", "Free some space.")) == "The disk is full."
