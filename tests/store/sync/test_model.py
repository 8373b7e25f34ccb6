"""Any operations on three machines, synced in any order, leave on each what a plain model says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)

from store.errors import Conflict, NotFound
from store.merge.versions import REMOVED, alternatives
from store.model import Location
from tests.store.sync.machines import Machine, bare

MACHINES = st.integers(0, 2)
PICKS = st.integers(0, 30)


@dataclass(frozen=True, slots=True)
class Fact:
    """What the model knows of a memory: its versions, of which the last counts."""

    versions: tuple[str, ...]
    tags: frozenset[str] = frozenset()
    archived: bool = False
    removed_too: bool = False


Facts = Mapping[str, Fact]


def merged(base: Facts, ours: Facts, theirs: Facts) -> dict[str, Fact]:
    """Merge two machines' facts, field by field."""
    found = {}
    for name in {**base, **ours, **theirs}:
        before, left, right = (side.get(name) for side in (base, ours, theirs))
        one = _merged_fact(before, left, right)
        if one is not None:
            found[name] = one
    return found


def _merged_fact(base: Fact | None, ours: Fact | None, theirs: Fact | None) -> Fact | None:
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if ours is None or theirs is None:
        survivor = ours or theirs
        return survivor and replace(survivor, removed_too=True)
    start = base or Fact(())

    def of_both(left: set[str], before: set[str], right: set[str]) -> set[str]:
        return (left & right) | ((left | right) - before)

    known = {*start.versions}
    versions = of_both({*ours.versions}, known, {*theirs.versions})
    return Fact(
        # Texts are numbers that grow: of two, the newer one counts.
        tuple(sorted(versions or {*ours.versions, *theirs.versions})),
        frozenset(of_both({*ours.tags}, {*start.tags}, {*theirs.tags})),
        ours.archived if theirs.archived == start.archived else theirs.archived,
        ours.removed_too if theirs.removed_too == start.removed_too else theirs.removed_too,
    )


@dataclass(slots=True)
class _Side:
    """A machine beside what the model says that it has, and had when it was synced last."""

    machine: Machine
    facts: dict[str, Fact] = field(default_factory=dict)
    base: dict[str, Fact] = field(default_factory=dict)


class Machines(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._patch = mock.patch.object(os, "fsync", lambda descriptor: None)
        self._patch.start()
        self._home = TemporaryDirectory()
        home = Path(self._home.name)
        remote = bare(home / "memory.git")
        self.sides = [_Side(Machine(home / name, remote)) for name in ("one", "two", "three")]
        self.theirs: dict[str, Fact] = {}
        self.texts = 0
        for side in self.sides:  # of a memory that has nothing at all it is not known that it had
            name = side.machine.add(self._text())
            with side.machine.memory() as memory:
                shutil.rmtree(memory.path / "operations")
            side.facts[name] = Fact((f"{self.texts:05}",))

    def _text(self) -> str:
        self.texts += 1
        return f"{self.texts:05}"

    def _picked(self, side: _Side, pick: int) -> str:
        """A memory of a machine, but for the one that it began with."""
        own = sorted(side.facts)[1:]
        return own[pick % len(own)] if own else ""

    def teardown(self) -> None:
        try:
            for number in (0, 1, 2, 0, 1):
                self._sync(number)
            assert self.sides[0].facts == self.sides[1].facts == self.sides[2].facts
        finally:
            self._home.cleanup()
            self._patch.stop()

    @rule(number=MACHINES)
    def add(self, number: int) -> None:
        side, text = self.sides[number], self._text()
        side.facts[side.machine.add(text)] = Fact((text,))

    @rule(number=MACHINES, pick=PICKS)
    def edit(self, number: int, pick: int) -> None:
        side = self.sides[number]
        if name := self._picked(side, pick):
            text = self._text()
            side.machine.edit(name, content=text)
            fact = side.facts[name]
            side.facts[name] = replace(fact, versions=(*fact.versions[:-1], text))

    @rule(number=MACHINES, pick=PICKS, tags=st.sets(st.sampled_from("abc")))
    def tag(self, number: int, pick: int, tags: set[str]) -> None:
        side = self.sides[number]
        if name := self._picked(side, pick):
            side.machine.edit(name, tags=tuple(sorted(tags)))
            side.facts[name] = replace(side.facts[name], tags=frozenset(tags))

    @rule(number=MACHINES, pick=PICKS)
    def remove(self, number: int, pick: int) -> None:
        side = self.sides[number]
        if name := self._picked(side, pick):
            side.machine.remove(name)
            del side.facts[name]

    @rule(number=MACHINES, pick=PICKS)
    def archive_or_restore(self, number: int, pick: int) -> None:
        side = self.sides[number]
        if name := self._picked(side, pick):
            fact = side.facts[name]
            with side.machine.memory() as memory:
                plans = memory.plan
                memory.apply(plans.restore(name) if fact.archived else plans.archive(name))
            side.facts[name] = replace(fact, archived=not fact.archived)

    @rule(number=MACHINES)
    def resolve(self, number: int) -> None:
        """Choose the last version of a memory that has several."""
        side = self.sides[number]
        for name, fact in side.facts.items():
            if len(fact.versions) > 1 or fact.removed_too:
                with side.machine.memory() as memory:
                    others = alternatives(memory.get(name).extra)
                    memory.apply(memory.plan.resolve(name, len(others)))
                side.facts.update(self._held(side)) if REMOVED not in others[-1] else None
                if REMOVED in others[-1]:
                    del side.facts[name]
                return

    @rule(number=MACHINES)
    def undo(self, number: int) -> None:
        """Take back the last operation, a sync too: what that leaves is what the machine has."""
        side = self.sides[number]
        try:
            with side.machine.memory() as memory:
                memory.undo()
        except (NotFound, Conflict):
            return
        side.facts = self._held(side)

    @rule(number=MACHINES)
    def sync(self, number: int) -> None:
        self._sync(number)

    def _sync(self, number: int) -> None:
        side = self.sides[number]
        assert side.machine.sync().left == ()
        self.theirs = side.base = side.facts = merged(side.base, side.facts, self.theirs)
        side.facts = dict(side.facts)
        assert self._held(side) == side.facts

    def _held(self, side: _Side) -> dict[str, Fact]:
        found: dict[str, Fact] = {}
        with side.machine.memory() as memory:
            for issue in memory.backend.issues():
                for held in memory.backend.read(issue).held():
                    assert held.observation is not None
                    record = held.record.value
                    others = alternatives(record)
                    texts = [it["content"] for it in others if "content" in it]
                    assert held.observation.id not in found
                    found[held.observation.id] = Fact(
                        (*sorted(texts), record["content"]),
                        frozenset(held.observation.tags),
                        held.location is Location.ARCHIVE,
                        any(REMOVED in it for it in others),
                    )
        return found


def test_what_three_machines_do_is_what_a_model_says() -> None:
    few = settings(max_examples=3, stateful_step_count=25, deadline=None)
    run_state_machine_as_test(Machines, settings=few)


@pytest.mark.long
def test_what_three_machines_do_in_a_hundred_steps_is_what_a_model_says() -> None:
    many = settings(max_examples=50, stateful_step_count=100, deadline=None)
    run_state_machine_as_test(Machines, settings=many)
