"""One update of the index: what a large one leaves out, and does with."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from tantivy import Index

from store.search import update
from tests.store.factories import make_memory, record, write_issue

BUILDS = {"small": ((10**9, 10**9), True, 15, 1), "bulk": ((0, 10**9), False, 120, 2),
          "large": ((0, 0), False, 400, 2)}  # fmt: skip
"""From which bytes builds are of bulk and large; whether garbage is collected, MB and threads."""


@pytest.mark.parametrize("size", BUILDS)
def test_a_large_build_looks_for_no_garbage_and_takes_more_memory(
    size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bulk, large), collects, megabytes, threads = BUILDS[size]
    monkeypatch.setattr(update, "_BULK", bulk)
    monkeypatch.setattr(update, "_LARGE", large)
    write_issue(tmp_path / ".agentx" / "memory", 29, record("a"), record("b"))
    collected: list[bool] = []
    asked: list[tuple[int, int]] = []
    writer = Index.writer

    def noted(index: Index, heap_size: int, num_threads: int) -> object:
        asked.append((heap_size // 1_000_000, num_threads))
        return writer(index, heap_size=heap_size, num_threads=num_threads)

    monkeypatch.setattr(Index, "writer", noted)
    memory = make_memory(tmp_path)
    assert memory.index.refresh(lambda done, of: collected.append(gc.isenabled())) is True
    assert asked == [(megabytes, threads)]
    assert collected == [collects, True], "the last is told once all is read"
    assert {it.entry.id for it in memory.search("").hits} == {"a", "b"}
