"""The disk of the cache is full: what is stored stays stored, and everything can be found."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memtui.words.notices import sentence
from store import Memory, Observation, open_memory
from store.notice import quoted
from tests.faults.real import small_disk
from tests.store.factories import observation

TOO_SMALL = ("4k", "8k", "12k", "16k", "20k", "24k", "28k")
SIZES = (TOO_SMALL[0], "40k", "128k")


def said_of(memory: Memory) -> str:
    """Why what is found may lag, in words."""
    return sentence(memory.index.notice or quoted(""))


def _fact(number: int) -> Observation:
    return observation(f"lock number {number} holds")


@pytest.mark.parametrize("size", SIZES)
def test_what_is_stored_is_found_however_small_the_cache(tmp_path: Path, size: str) -> None:
    store = tmp_path / "memory"
    with small_disk(tmp_path / "cache", size) as cache:
        for number in range(3):
            with open_memory(store, cache=cache) as memory:
                assert len(memory.store([_fact(number)])) == 1
            assert (store / "manifest.json").exists()
            with open_memory(store, cache=cache) as memory:
                assert memory.search("lock").total == number + 1
                assert memory.recall.plan("engineer", 29).text
                assert "the disk is full" in said_of(memory) or size not in TOO_SMALL


def test_a_disk_that_fills_up_leaves_the_last_commit_and_takes_the_next(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    with small_disk(tmp_path / "cache", "256k") as cache:
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(1)])
        _fill(cache)
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(2)])
            assert memory.search("lock").total == 2
        (cache / "filler").unlink()
        with open_memory(store, cache=cache) as memory:
            assert memory.search("lock").total == 2
            assert not memory.index.notice


def test_a_large_memory_answers_from_its_last_commit_while_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.search.index._SMALL", 100)
    store = tmp_path / "memory"
    with small_disk(tmp_path / "cache", "256k") as cache:
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(1)])
        _fill(cache)
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(2)])
            assert memory.search("lock").total == 1
            assert "out of date" in said_of(memory)


def test_a_damaged_index_on_a_full_disk_is_built_in_memory(tmp_path: Path) -> None:
    store = tmp_path / "memory"
    with small_disk(tmp_path / "cache", "256k") as cache:
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(1)])
        for path in cache.rglob("*.store"):
            path.write_bytes(b"\0" * path.stat().st_size)
        _fill(cache)
        with open_memory(store, cache=cache) as memory:
            memory.store([_fact(2)])
            assert memory.search("lock").total == 2


def _fill(folder: Path) -> None:
    """Take what room is left."""
    free = shutil.disk_usage(folder).free
    with (folder / "filler").open("wb") as file:
        file.write(b"\0" * free)
        file.flush()
        os.fsync(file.fileno())


def test_a_large_memory_that_was_never_indexed_is_searched_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.search.index._SMALL", 100)
    with small_disk(tmp_path / "cache", "20k") as cache:
        with open_memory(tmp_path / "memory", cache=cache) as memory:
            memory.store([_fact(1), _fact(2)])
        with open_memory(tmp_path / "memory", cache=cache) as memory:
            assert memory.search("lock").total == 2
