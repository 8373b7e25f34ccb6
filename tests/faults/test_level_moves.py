"""A move between levels that breaks off at any call: nothing is lost, and undo or doing it again
leaves each memory in one place.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from store import Memory
from store.backends import open_backend
from store.backends.levels.backend import LevelsBackend
from store.backends.protocol import Backend
from store.model import Level, Location
from tests.faults.steps import SAMPLED, at_each_call
from tests.store.factories import Clock, Ids, observation

MINE, PROJECT, TEAM = Level.MINE, Level.PROJECT, Level.TEAM
TEXTS = ("First", "Second", "Archived")
MOVES = [pair for pair in product((PROJECT, MINE, TEAM), repeat=2) if pair[0] != pair[1]]


def _opened(folder: Path, clock: Clock | None = None) -> Memory:
    places = {str(it): open_backend(folder / it, clock) for it in (PROJECT, MINE, TEAM)}
    ids = Ids(prefix=f"obs{len(list(folder.glob('*/operations/*')))}")
    backend = LevelsBackend(places)
    return Memory(backend, cache=folder / "cache", clock=clock or Clock(), new_id=ids)


def _prepare(folder: Path, source: Level) -> None:
    clock = Clock()
    with _opened(folder, clock) as memory:
        for level in Level:
            memory.store([observation(f"Of {level}", level=level)])
        ids = memory.store([observation(text, level=source) for text in TEXTS])
        clock.pass_by(minutes=1)
        memory.apply(memory.plan.archive([ids[-1]]))


def _move(folder: Path, target: Level, *, copies: bool = False) -> None:
    clock = Clock()
    clock.pass_by(hours=1)
    with _opened(folder, clock) as memory:
        found = [memory.search_ids(query) for query in ("first", "second", "is:archived archived")]
        ids = [identifier for (identifier,) in found]
        memory.apply(memory.plan.move(ids, target, copies=copies))


def _held(folder: Path) -> dict[Level, list[str]]:
    """The texts that the files of each level have, those of the archive in brackets."""
    return {level: _texts(open_backend(folder / level)) for level in Level}


def _texts(backend: Backend) -> list[str]:
    return sorted(
        one.observation.content
        if one.location is Location.ISSUE
        else f"({one.observation.content})"
        for issue in backend.issues()
        for one in backend.read(issue).held()
        if one.observation is not None
    )


def _with(source: Level) -> dict[Level, list[str]]:
    moved = ["(Archived)", "First", "Second"]
    return {level: sorted([f"Of {level}", *(moved if level == source else ())]) for level in Level}


@SAMPLED
@pytest.mark.parametrize(("source", "target"), MOVES)
def test_a_move_that_breaks_off_loses_and_doubles_nothing(
    tmp_path: Path, every: int, source: Level, target: Level
) -> None:
    def check(folder: Path, where: str) -> None:
        held = _held(folder)
        for text in ("(Archived)", "First", "Second"):
            assert any(text in texts for texts in held.values()), (where, held)
        with _opened(folder) as memory:
            numbers = [memory.search(query).total for query in ("", "is:archived")]
            assert numbers == [5, 1], where
            if memory.history.last_operation().kind == "move":
                memory.undo()
        assert _held(folder) == _with(source), where
        _move(folder, target)
        assert _held(folder) == _with(target), where
        with _opened(folder) as memory:
            memory.undo()
        assert _held(folder) == _with(source), where

    done = at_each_call(
        tmp_path,
        lambda folder: _prepare(folder, source),
        lambda folder: _move(folder, target),
        check,
        every,
    )
    assert done > 40


@SAMPLED
def test_a_copy_that_breaks_off_leaves_the_first(tmp_path: Path, every: int) -> None:
    def check(folder: Path, where: str) -> None:
        held = _held(folder)
        assert held[PROJECT] == _with(PROJECT)[PROJECT], where
        with _opened(folder) as memory:
            if memory.history.last_operation().kind == "copy":
                memory.undo()
        assert _held(folder) == _with(PROJECT), where
        _move(folder, TEAM, copies=True)
        copied = sorted([*TEXTS, "Of team"])
        assert _held(folder) == {**_with(PROJECT), TEAM: copied}, where

    done = at_each_call(
        tmp_path,
        lambda folder: _prepare(folder, PROJECT),
        lambda folder: _move(folder, TEAM, copies=True),
        check,
        every,
    )
    assert done > 40
