"""Another program writes just before a lock is ours: what is asked counts from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.backends import open_backend
from store.exchange.vault import fill_vault
from store.model import Layout, Location
from store.platform.lock import lock
from store.records import new_record, to_record
from tests.store.factories import NOW, Clock, Ids, observation

THEIRS = "Theirs: the lock is a file."
Act = Callable[[], object]


@contextmanager
def just_before_the_lock(monkeypatch: pytest.MonkeyPatch, act: Act) -> Iterator[list[None]]:
    """Within it, `act` happens once, as the first lock is asked for; the list tells that it did."""
    done: list[None] = []

    def ask(path: Path, until: float, poll: float) -> int | None:
        if not done:
            done.append(None)
            act()
        return lock(path, until, poll)

    with monkeypatch.context() as patch:
        patch.setattr("store.backends.files.locks.lock", ask)
        yield done
    assert done, "no lock was asked for"


def _open(location: str, cache: Path, prefix: str = "obs") -> Memory:
    return open_memory(location, cache=cache, clock=Clock(), new_id=Ids(prefix))


def _undo(memory: Memory) -> Act:
    memory.apply(memory.plan.edit("obs-1", {"pinned": True}))
    plan = memory.history.plan_undo()
    return lambda: memory.apply(plan)


def _apply(name: str, *given: object) -> Callable[[Memory], Act]:
    def planned(memory: Memory) -> Act:
        plan = getattr(memory.plan, name)("obs-1", *given)
        return lambda: memory.apply(plan)

    return planned


def _layout(memory: Memory) -> Act:
    plan = memory.plan.layout(Layout.EACH)
    return lambda: memory.apply(plan)


def _forget(memory: Memory) -> Act:
    plan = memory.plan.forget("obs-1")
    return lambda: memory.forget(plan)


WAYS: dict[str, Callable[[Memory], Act]] = {
    "add": lambda memory: lambda: memory.store([observation("Ours", id="ours")]),
    "edit": _apply("edit", {"pinned": True}),
    "tag": _apply("tag", ["locks"]),
    "archive": _apply("archive"),
    "remove": _apply("remove"),
    "forget": _forget,
    "undo": _undo,
    "layout": _layout,
}


@pytest.mark.parametrize(
    ("way", "scheme"),
    [(way, scheme) for way in WAYS for scheme in ("", "vault://") if way != "layout" or not scheme],
)
def test_what_another_stored_just_before_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, scheme: str
) -> None:
    place = f"{scheme}{tmp_path / 'memory'}"
    with _open(place, tmp_path / "a") as ours, _open(place, tmp_path / "b", "theirs") as other:
        ours.store([observation("Ours: one"), observation("Ours: two")])
        act = WAYS[way](ours)
        theirs = [observation(THEIRS), observation("Theirs: two", issue_number=30)]
        with just_before_the_lock(monkeypatch, lambda: other.store(theirs)):
            act()
    with _open(place, tmp_path / "c") as later:
        held = [*later.backend.read(29).observations(), *later.backend.read(30).observations()]
        assert {it.content for it in held} >= {THEIRS, "Theirs: two", "Ours: two"}


def test_a_vault_that_another_began_just_before_is_not_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"vault://{tmp_path / 'vault'}"
    ours = {Location.ISSUE: [new_record(to_record(observation("Ours", id="ours")))]}
    with _open(place, tmp_path / "b") as other:
        vault = open_backend(place, lambda: NOW)
        with just_before_the_lock(monkeypatch, lambda: other.store([observation(THEIRS)])):
            fill_vault(vault, ours)
        vault.release()
        assert [it.content for it in other.by_issue(29)] == [THEIRS]
