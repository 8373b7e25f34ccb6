"""Alerts of SPEC-29 §12.3: their texts, each told once, in the log and to who listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.words.notices import problem_in_words
from store import current_index
from store.backends.files.backend import FilesBackend
from store.events import ContextCompacted, MemoryProblem
from store.search import alerts
from tests.store.factories import NOW, make_memory, observation


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


def test_what_was_archived_is_not_among_the_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (alerts, current_index):
        monkeypatch.setattr(module, "MANY_OBSERVATIONS", 2)
    heard: list[tuple[str, str]] = []
    with make_memory(tmp_path) as memory:
        memory.on_problem(lambda it: heard.append((it.kind, it.message)))
        ids = memory.store([observation(f"Lock {at}", issue_number=at) for at in range(4)])
        memory.index.settle()
        assert heard == [("store-many", "4")]
        memory.apply(memory.plan.archive(ids[:2]))
        memory.index.settle()
        memory.apply(memory.plan.edit(ids[3], {"content": "Lock of three"}))
        memory.index.settle()
        assert len(heard) == 1
        memory.store([observation("Lock 9", issue_number=9)])
        memory.index.settle()
    assert heard[1:] == [("store-many", "3")]


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


def test_a_large_store_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _add(tmp_path, "first lock") == []
    monkeypatch.setattr(FilesBackend, "size", lambda self: 40_000_001)
    said = "Memory store exceeds 40MB. Run `memtui compact` to reduce."
    assert _add(tmp_path, "second lock") == [said]
    assert _add(tmp_path, "third lock") == []


def test_a_summary_without_observations_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    with make_memory(tmp_path) as memory:
        memory.store([observation()])
        memory.on_problem(lambda it: told.append(problem_in_words(it.kind, it.message, it.took)))
        memory.capture.listen()
        memory.events.emit(
            ContextCompacted(
                agent="a", original_tokens=9, compacted_tokens=1, summary=" ", timestamp=NOW
            )
        )
        assert memory.activity().entries[0].problem == "nothing-extracted"
    assert told == ["No memories extracted from session (empty summary)."]


@pytest.mark.parametrize(
    ("kept", "told"),
    [('["store-many", 7, ["x"]]', []), ("{}", ["store-many"]), ("7", ["store-many"])],
)
def test_what_was_told_is_read_as_far_as_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: str, told: list[str]
) -> None:
    monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", 1)
    heard: list[str] = []
    with make_memory(tmp_path) as memory:
        memory.store([observation("One")])
        memory.index.settle()
        folder = memory.index.index.folder
        assert folder is not None
        (folder / "alerts.json").write_text(kept)
        memory.on_problem(lambda it: heard.append(it.kind))
        memory.store([observation("Two")])
    assert heard == told
    assert (folder / "alerts.json").read_text() == (kept if not told else '["store-many"]')
