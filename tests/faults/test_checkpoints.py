"""A checkpoint that dies at any call: what was kept before it, or it, and never an error after."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends.location import FOLDER
from store.errors import StoreError
from tests.faults.disk import SimulatedDisk
from tests.faults.modes import Call, Fault, Killed, Mode
from tests.faults.scenarios import NOW, observation

LATER = NOW + timedelta(minutes=1)
MODES = [it for it in Mode if it not in (Mode.KILLED_TWICE, Mode.KILLED_THEN_CUT)]
"""Those in which nothing is written after the fault: what a checkpoint leaves is only read."""


def opened(folder: Path) -> Memory:
    no_cache = Path(os.devnull) / "cache"
    return open_memory(folder / FOLDER, cache=no_cache, clock=lambda: LATER)


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "text": text}]


def keep(memory: Memory, text: str) -> None:
    memory.continuation.checkpoint("claude-code", said(text), "one", branch="main")


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with one observation and a checkpoint of the session."""
    folder = tmp_path_factory.mktemp("before")
    with opened(folder) as memory:
        memory.store([observation("first")])
        keep(memory, "Before.")
    return folder


@pytest.fixture(scope="module")
def calls(before: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    """What reaches the disk where all goes well."""
    folder = tmp_path_factory.mktemp("calls") / "memory"
    shutil.copytree(before, folder)
    with opened(folder) as memory, SimulatedDisk(folder).mounted() as disk:
        keep(memory, "After.")
    return disk.calls


@pytest.mark.parametrize("mode", MODES)
def test_a_checkpoint_survives_every_fault(
    mode: Mode, before: Path, calls: list[Call], tmp_path: Path
) -> None:
    struck = [at for at, call in enumerate(calls) if mode.applies_to(call.kind)]
    assert struck, "no call can fail in this way: nothing was tried"
    for point in struck:
        folder = tmp_path / str(point)
        shutil.copytree(before, folder)
        names = {path.name for path in folder.rglob("*")}
        with opened(folder) as memory:
            disk = SimulatedDisk(folder, Fault(point, mode))
            kept = _try(memory, disk)
        if mode.cuts_power:
            disk.cut_power(mode if mode is Mode.DATA_LOST else Mode.NAMES_LOST)
        elif not mode.ends_the_process and calls[point].name != "unlink":
            left = {path.name for path in folder.rglob("*")} - names
            assert not left, f"{calls[point]} leaves {left}"
        with opened(folder) as memory:
            found = memory.continuation.recover()
            texts = [it.text for it in found.messages] if found else []
            allowed = [["After."]] if kept else [["Before."], ["After."]]
            if mode.cuts_power:  # it is not synced: what was there before may be all, or nothing
                allowed = [["Before."], ["After."], []]
            assert texts in allowed, f"{mode} at {calls[point]}"
            assert memory.continuation.interrupted("main") == found
            keep(memory, "Again.")
            again = memory.continuation.recover()
            assert again is not None
            assert again.messages[0].text == "Again."
            assert memory.get(observation("first").id).content == "first"


def _try(memory: Memory, disk: SimulatedDisk) -> bool:
    """Keep a checkpoint on a disk that fails; whether it was said to be kept."""
    try:
        with disk.mounted():
            keep(memory, "After.")
    except (Killed, StoreError):
        return False
    return True
