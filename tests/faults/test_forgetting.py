"""Forgetting that is interrupted: the text is everywhere still, or the next command ends it."""

from __future__ import annotations

import shutil
from itertools import cycle
from pathlib import Path

from store.errors import NotFound
from tests.faults.steps import SAMPLED, at_each_call
from tests.store.factories import make_memory, observation

SECRET = "The merger with Falcon closes in May."
EARLIER = "The merger with Kestrel closes in May."


def _prepare(folder: Path) -> None:
    with make_memory(folder) as memory:
        memory.store([observation(EARLIER), observation("Ask the lock first.")])
        memory.apply(memory.plan.edit("obs-1", {"content": SECRET}))
        memory.apply(memory.plan.edit(["obs-1", "obs-2"], {"pinned": True}))
        memory.recall.inject(memory.recall.plan())
        sessions = memory.path / "sessions"
        sessions.mkdir()
        (sessions / "s1.json").write_text(f'{{"id": "s1", "decided": ["{SECRET}"], "asked": []}}')
    shutil.rmtree(folder / "cache")  # of this folder's name alone


def _forget(folder: Path) -> None:
    memory = make_memory(folder)
    memory.forget(memory.plan.forget("obs-1"))


def _holding(folder: Path) -> set[str]:
    return {
        path.parent.name
        for path in folder.rglob("*")
        if path.is_file() and b"merger" in path.read_bytes()
    }


def _next_command(folder: Path, where: str) -> None:
    with make_memory(folder) as memory:
        stands = bool(memory.search("Falcon").total)
    left = _holding(folder)
    if stands:
        assert left >= {"memory", "operations", "recalls", "sessions"}, f"{where}: {left}"
    else:
        assert not left, f"{where}: {left}"


def _ask_again(folder: Path, where: str) -> None:
    with make_memory(folder) as memory:
        try:
            plan = memory.plan.forget("obs-1")
        except NotFound:
            assert not _holding(folder), f"{where}: asking again is refused"
            return
        if not plan.is_empty:
            memory.forget(plan)
        assert memory.doctor.examine().is_healthy, where
    assert not _holding(folder), where


@SAMPLED
def test_forgetting_is_finished_by_the_next_command_or_by_asking_again(
    tmp_path: Path, every: int
) -> None:
    checks = cycle((_next_command, _ask_again))

    def in_turn(folder: Path, where: str) -> None:
        next(checks)(folder, where)

    # Each in a folder of its own: an index is known by its memory's path.
    for check in (in_turn,) if every > 1 else (_next_command, _ask_again):
        place = tmp_path / check.__name__
        assert at_each_call(place, _prepare, _forget, check, every) > 60
