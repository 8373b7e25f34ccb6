"""Any sequence of operations leaves the store as a plain model in memory says."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from store.errors import Conflict, NotFound
from store.model import Location, Observation
from store.operations import changes
from store.operations.apply import apply_plan
from store.operations.plan import Plan
from store.operations.undo import undo_operation
from tests.store.factories import Store, manifest_ids

START = datetime(2026, 2, 27, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Fact:
    issue: int
    content: str
    tags: tuple[str, ...] = ()
    location: Location = Location.ISSUE


@dataclass(slots=True)
class _Done:
    """An operation the model carried out: each fact before and after."""

    before: dict[str, _Fact]
    after: dict[str, _Fact]
    undone: bool = False

    def touched(self) -> Iterable[str]:
        return self.before.keys() | self.after.keys()


@dataclass(slots=True)
class _Model:
    facts: dict[str, _Fact] = field(default_factory=dict)
    operations: list[_Done] = field(default_factory=list)

    def carry_out(self, after: dict[str, _Fact | None]) -> bool:
        """Turn facts into others, or none; whether anything changes."""
        before = {name: self.facts[name] for name in after if name in self.facts}
        changed = {name: fact for name, fact in after.items() if fact != before.get(name)}
        if not changed:
            return False
        self.operations.append(
            _Done(
                {name: before[name] for name in changed if name in before},
                {name: fact for name, fact in changed.items() if fact is not None},
            )
        )
        for name, fact in changed.items():
            if fact is None:
                del self.facts[name]
            else:
                self.facts[name] = fact
        return True

    def last(self) -> _Done | None:
        return next((done for done in reversed(self.operations) if not done.undone), None)

    def undo(self, done: _Done) -> None:
        """Take back what is still as the operation left it."""
        touched = list(done.touched())
        stale = [
            name
            for name in touched
            if self.facts.get(name) not in (done.after.get(name), done.before.get(name))
        ]
        moves = [
            name
            for name in touched
            if name not in stale and self.facts.get(name) != done.before.get(name)
        ]
        done.undone = not stale or bool(moves)
        for name in moves:
            if name in done.before:
                self.facts[name] = done.before[name]
            else:
                del self.facts[name]


class StoreMachine(RuleBasedStateMachine):
    """The store and the model side by side."""

    names = Bundle("names")

    def __init__(self) -> None:
        super().__init__()
        self._patch = mock.patch.object(os, "fsync", lambda descriptor: None)
        self._patch.start()
        self._home = TemporaryDirectory()
        self._count = 0
        self.model = _Model()
        self.store = self._open()

    def teardown(self) -> None:
        self._home.cleanup()
        self._patch.stop()

    def _open(self) -> Store:
        folder = Path(self._home.name) / "memory"
        return Store(folder, clock=self._now, new_id=self._new_id)

    def _now(self) -> datetime:
        self._count += 1
        return START + timedelta(seconds=self._count)

    def _new_id(self, agent: str, issue: int, when: datetime) -> str:
        self._count += 1
        return f"obs-{agent}-{issue}-{int(when.timestamp() * 1000)}-{self._count:06}"

    def _where(self) -> changes.Where:
        return {issue: self.store.read(issue) for issue in sorted(self.store.issues())}

    def _apply(self, plan: Plan, after: dict[str, _Fact | None]) -> None:
        assert plan.is_empty is not self.model.carry_out(after)
        applied = apply_plan(self.store, plan, self._now())
        assert applied.left == ()

    @rule(
        target=names,
        issue=st.integers(0, 2),
        contents=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3),
    )
    def keep(self, issue: int, contents: list[str]) -> object:
        """Store a batch; what stands already is counted, not doubled."""
        given = [
            Observation(agent="engineer", issue_number=issue, category="decision", content=content)
            for content in contents
        ]
        report = self.store.store(given)
        for name, content in zip(report.ids, contents, strict=True):
            twins = [
                twin
                for twin, fact in self.model.facts.items()
                if (fact.issue, fact.content, fact.location) == (issue, content, Location.ISSUE)
            ]
            assert not twins or name in twins
            self.model.facts.setdefault(name, _Fact(issue, content))
        return multiple(*dict.fromkeys(report.ids))

    @rule(name=names, tags=st.sampled_from([(), ("seen",), ("seen", "twice")]))
    def edit(self, name: str, tags: tuple[str, ...]) -> None:
        fact = self.model.facts.get(name)
        if fact is None:
            with pytest.raises(NotFound):
                changes.plan_edit(self._where(), [name], {"tags": tags})
            return
        plan = changes.plan_edit(self._where(), [name], {"tags": tags})
        self._apply(plan, {name: replace(fact, tags=tags)})

    @rule(name=consumes(names))
    def remove(self, name: str) -> None:
        if name in self.model.facts:
            self._apply(changes.plan_remove(self._where(), [name]), {name: None})

    @rule(some=st.lists(names, min_size=1, max_size=3, unique=True))
    def archive(self, some: list[str]) -> None:
        some = [name for name in some if name in self.model.facts]
        after = {name: replace(self.model.facts[name], location=Location.ARCHIVE) for name in some}
        self._apply(changes.plan_archive(self._where(), some), {**after})

    @rule(some=st.lists(names, min_size=1, max_size=3, unique=True))
    def restore(self, some: list[str]) -> None:
        """Take observations out of the archive."""
        some = [name for name in some if name in self.model.facts]
        after = {name: replace(self.model.facts[name], location=Location.ISSUE) for name in some}
        self._apply(changes.plan_restore(self._where(), some), {**after})

    @rule()
    def undo(self) -> None:
        """Take the last operation back, as far as nothing else has changed what it left."""
        done = self.model.last()
        if done is None:
            with pytest.raises(NotFound):
                undo_operation(self.store, None, self._now())
            return
        self.model.undo(done)
        try:
            undo_operation(self.store, None, self._now())
        except Conflict:
            assert not done.undone

    @rule()
    def settle(self) -> None:
        """Bring the manifest in step."""
        self.store.settle(())
        listed = manifest_ids(self.store.folder)
        active = [
            name for name, fact in self.model.facts.items() if fact.location is Location.ISSUE
        ]
        assert sorted(listed or []) == sorted(active)

    @rule()
    def reopen(self) -> None:
        """Go on as another process."""
        self.store = self._open()

    @invariant()
    def the_store_is_as_the_model(self) -> None:
        """Each observation stands once, where and as the model says."""
        stands = [
            (
                held.observation.id,
                _Fact(issue, held.observation.content, held.observation.tags, held.location),
            )
            for issue, records in self._where().items()
            for held in records.held()
            if held.observation is not None
        ]
        assert len(stands) == len(dict(stands))
        assert dict(stands) == self.model.facts


def test_any_sequence_of_operations_equals_the_model() -> None:
    few = settings(max_examples=10, stateful_step_count=20, deadline=None)
    run_state_machine_as_test(StoreMachine, settings=few)


@pytest.mark.long
def test_any_long_sequence_of_operations_equals_the_model() -> None:
    many = settings(max_examples=500, stateful_step_count=50, deadline=None)
    run_state_machine_as_test(StoreMachine, settings=many)
