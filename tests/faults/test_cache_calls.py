"""What the index asks of its own folder beside what tantivy does, and what comes of each of these
calls that fails: what is found is what the files say, or a notice says that it lags.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.files import files_at
from store.backends.location import FOLDER
from store.errors import StoreError
from store.pipeline import MemoryPipeline, open_memory
from tests.faults.disk import SimulatedDisk
from tests.faults.modes import Fault, Mode
from tests.faults.watched import a_session, held_still
from tests.store.factories import Clock, Ids, observation, record, write_issue

Act = Callable[[MemoryPipeline], object]
_OF_ALL_FILES = ("chmod", "unlink")
"""Calls on each of tantivy's files, whose names, and so their order, are other ones each time."""
_STILL = (
    (re.compile(r"^[0-9a-f]{16}-v\d+"), "index"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "(segment)"),
    (re.compile(r"\.[0-9]+-[0-9a-f]{8}\.tmp\b"), ".(own).tmp"),
    (re.compile(r"\.probe-[0-9]+"), ".probe"),
)


def _change_elsewhere(memory: MemoryPipeline) -> None:
    write_issue(memory.path, 31, record("x", issueNumber=31))


def _take_in(memory: MemoryPipeline) -> object:
    file = memory.path.parents[2] / "day.jsonl"
    return memory.take_in(list(files_at([file], "claude-code")))


def _forget(memory: MemoryPipeline) -> object:
    return memory.forget(memory.plan_forget(["obs-1"]))


def _store_and_close(memory: MemoryPipeline) -> None:
    memory.store([observation("Leases end after five seconds")])
    memory.close()


def _refresh(memory: MemoryPipeline) -> object:
    return memory.refresh()


OPERATIONS: dict[str, tuple[Act, ...]] = {
    "refresh after another program": (_change_elsewhere, _refresh),
    "store and close": (_store_and_close,),
    "forget": (_forget,),
    "take in": (_take_in,),
}
"""What is done; the last of it is watched."""


class _Outcome(NamedTuple):
    calls: tuple[str, ...]
    told: str


def _run(root: Path, acts: tuple[Act, ...], fault: Fault | None = None) -> _Outcome:
    """Carry an operation out on a cache that fails as ordered; then look for what there is, twice.

    In a project of its own: the index of one that was copied would begin anew.
    """
    *before, act = acts
    root.mkdir()
    (root / "day.jsonl").write_text("\n".join(a_session().lines))
    with held_still(), _opened(root, "obs") as memory:
        memory.store([observation(), observation("Locks go stale", issue_number=30)])
        memory.settle()
        for step in before:
            step(memory)
    told: list[str] = []
    with held_still(), _opened(root, "new") as memory:
        memory.on_problem(lambda it: told.append(f"told {it.kind} {it.message}".strip()))
        disk = SimulatedDisk(root / "cache", fault, is_derived=True)
        try:
            with disk.mounted():
                act(memory)
            told.insert(0, "done")
        except StoreError as error:
            told.insert(0, f"{type(error).__name__}: {error.message}")
        told += [f"leaves {it} open" for it in disk.left_open]
        told.append(f"finds {_found(memory)}")
        if memory.index_notice is not None:
            told.append(f"notice {memory.index_notice.kind}")
    with held_still(), _opened(root, "later") as memory:
        told.append(f"then {_found(memory)}")
    said = "; ".join(told).replace(str(root), "(root)")
    return _Outcome(tuple(_still(f"{it.name} {it.path}") for it in disk.calls), said)


def _opened(root: Path, prefix: str) -> MemoryPipeline:
    place = root / "project" / FOLDER
    return open_memory(place, cache=root / "cache", clock=Clock(), new_id=Ids(prefix))


def _found(memory: MemoryPipeline) -> str:
    said = memory.conversation("s-day")
    return f"{memory.search('').total} and {len(said)} of a session"


def _still(call: str) -> str:
    name, _, path = call.partition(" ")
    for pattern, instead in _STILL:
        path = pattern.sub(instead, path)
    return f"{name} {path}"


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_calls_on_the_cache(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    done = _run(tmp_path / "run", OPERATIONS[name])
    calls = [it for it in done.calls if not it.startswith(_OF_ALL_FILES)]
    assert "\n".join([*calls, f"    {done.told}"]) == snapshot


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_comes_of_a_call_on_the_cache_that_fails(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    acts = OPERATIONS[name]
    found = [
        (call, _run(tmp_path / f"{point}", acts, Fault(point, Mode.IO_ERROR)).told)
        for point, call in enumerate(_run(tmp_path / "whole", acts).calls)
        if not call.startswith((*_OF_ALL_FILES, "close"))
    ]
    lines = []
    for came, calls in groupby(found, key=lambda it: it[1]):
        lines += [*(call for call, _ in calls), f"    {came}"]
    assert "\n".join(lines) == snapshot
