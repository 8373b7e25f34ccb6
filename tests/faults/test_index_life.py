"""The index is derived: however it grew, and whatever happened to it, it answers as a new one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import Memory, Observation, open_memory
from store.errors import StoreError

NOW = datetime(2026, 2, 27, 10, tzinfo=UTC)
WORDS = ("lock", "timeout", "manifest", "stale marker", "windows race", "ロック")
QUERIES = ("", "lock", "manifest timeout", "agent:architect", "category:error", "#1 lock", "ロック")

Answer = tuple[object, ...]


def _open(store: Path, cache: Path) -> Memory:
    return open_memory(store, cache=cache, clock=lambda: NOW)


def _answers(memory: Memory) -> list[Answer]:
    """What every query finds, with all its facets, and the totals."""
    found = [memory.search(query, limit=2_000) for query in QUERIES]
    answers: list[Answer] = [
        (item.total, sorted(hit.entry.id for hit in item.hits), item.facets) for item in found
    ]
    return [*answers, (memory.stats(), memory.state().problems)]


def _fresh(store: Path, cache: Path) -> list[Answer]:
    with _open(store, cache) as memory:
        return _answers(memory)


def _fact(number: int, issue: int, word: str) -> Observation:
    return Observation(
        agent=("engineer", "architect")[number % 2],
        issue_number=issue,
        category=("error", "decision")[number % 2],
        content=f"{word} number {number}",
    )


# Step by step


def _grow(memory: Memory, step: tuple[str, int, str], number: int) -> None:
    """One thing that happens to the store: through the door, or behind its back."""
    kind, issue, word = step
    file = memory.path / f"issue-{issue}.json"
    if kind == "store":
        memory.store([_fact(number, issue, word)])
    elif kind == "archive":
        memory.apply(memory.plan.archive([item.id for item in memory.by_issue(issue)[:1]]))
    elif kind == "remove":
        memory.apply(memory.plan.remove([item.id for item in memory.by_issue(issue)[-1:]]))
    elif kind == "undo" and memory.history.operations():
        if any(not item.undone and item.kind != "undo" for item in memory.history.operations()):
            with suppress(StoreError):  # what was broken or edited since is left as it is
                memory.undo()
    elif kind == "delete":
        file.unlink(missing_ok=True)
    elif kind == "break":
        memory.path.mkdir(exist_ok=True)
        file.write_text("{cut")
    elif kind == "edit" and file.exists() and file.read_text() != "{cut":
        value = json.loads(file.read_text())
        for record in value["observations"]:
            record["content"] = f"{word} by hand"
        file.write_text(json.dumps(value))


_KINDS = (*["store"] * 3, "archive", "remove", "undo", "delete", "break", "edit", "reopen")
_steps = st.lists(
    st.tuples(st.sampled_from(_KINDS), st.integers(1, 2), st.sampled_from(WORDS)),
    min_size=1,
    max_size=8,
)


def _check_growth(home: Path, steps: list[tuple[str, int, str]]) -> None:
    store, cache = home / "memory", home / "grown"
    memory = _open(store, cache)
    for number, step in enumerate(steps):
        if step[0] == "reopen":
            memory.close()
            memory = _open(store, cache)
        else:
            _grow(memory, step, number)
        memory.index.refresh()
    grown = _answers(memory)
    memory.close()
    assert grown == _fresh(store, home / "fresh")


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=_steps)
def test_an_index_grown_step_by_step_equals_one_built_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    _check_growth(tmp_path_factory.mktemp("grown"), steps)


@pytest.mark.long
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=_steps)
def test_any_index_grown_step_by_step_equals_one_built_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str]]
) -> None:
    _check_growth(tmp_path_factory.mktemp("grown"), steps)


# Damage


def _delete(file: Path, chance: random.Random) -> None:
    file.unlink()


def _empty(file: Path, chance: random.Random) -> None:
    file.write_bytes(b"")


def _cut(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: chance.randrange(len(data)) if data else 0])


def _scramble(file: Path, chance: random.Random) -> None:
    file.write_bytes(chance.randbytes(file.stat().st_size))


def _make_folder(file: Path, chance: random.Random) -> None:
    file.unlink()
    file.mkdir()


def _flip_a_bit(file: Path, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def _damaged(home: Path, damage: Callable[[Path, random.Random], None], seed: int) -> Path:
    """A store whose index has one file damaged."""
    store, cache = home / "memory", home / "cache"
    with _open(store, cache) as memory:
        for issue in (1, 2):
            memory.store([_fact(n, issue, WORDS[n % len(WORDS)]) for n in range(8)])
            memory.index.refresh()
    chance = random.Random(seed)
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    damage(chance.choice(files), chance)
    return store


DAMAGES = [_delete, _empty, _cut, _scramble, _make_folder, _flip_a_bit]


@pytest.mark.parametrize(
    ("damage", "seeds"),
    [
        *((damage, range(1, 2)) for damage in (_cut, _scramble, _make_folder)),
        *(pytest.param(damage, range(40), marks=pytest.mark.long) for damage in DAMAGES),
    ],
)
def test_an_index_damaged_anywhere_ends_in_a_rebuild(
    tmp_path: Path, damage: Callable[[Path, random.Random], None], seeds: range
) -> None:
    for seed in seeds:
        home = tmp_path / f"seed {seed}"
        home.mkdir()
        store = _damaged(home, damage, seed)
        with _open(store, home / "cache") as memory:
            assert _answers(memory) == _fresh(store, home / "fresh")
            memory.store([_fact(99, 1, "lock")])
            memory.index.refresh()
            assert _answers(memory) == _fresh(store, home / "fresher")


# Many openings


FEW_FILES = 100
"""Files of an index, however many commits it has seen."""


@pytest.mark.parametrize("openings", [25, pytest.param(1_000, marks=pytest.mark.long)])
def test_many_openings_leave_few_files(tmp_path: Path, openings: int) -> None:
    store, cache = tmp_path / "memory", tmp_path / "cache"
    for number in range(openings):
        with _open(store, cache) as memory:
            memory.store([_fact(number, number % 50, WORDS[number % len(WORDS)])])
    assert len([path for path in cache.rglob("*") if path.is_file()]) < FEW_FILES
    with _open(store, cache) as memory:
        assert _answers(memory) == _fresh(store, tmp_path / "fresh")
