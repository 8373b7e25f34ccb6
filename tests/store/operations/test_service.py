"""What is told of an operation, undone and done again, and which issues and ids it is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from store import Memory
from store.backends.issue_records import IssueRecords, Lookup
from store.errors import AmbiguousId, Conflict, NotFound, NotSynced, StoreError, WriteFailed
from store.events import MemoryChanged
from tests.store.factories import Clock, make_memory, observation, record, write_issue


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    """A memory of four in three issues, each of another summary."""
    memory = make_memory(tmp_path, clock)
    memory.store([observation(f"Said {at}", issue_number=issue) for at, issue in
                  enumerate((31, 29, 30, 29), 1)])  # fmt: skip
    return memory


def _heard(memory: Memory) -> list[tuple[str, tuple[str, ...], int, str]]:
    heard: list[tuple[str, tuple[str, ...], int, str]] = []

    def hear(it: MemoryChanged) -> None:
        kind = it.action.kind if it.action else ""
        heard.append((it.kind, it.observation_ids, it.count, kind))

    memory.events.subscribe(MemoryChanged, hear)
    return heard


def _standing(memory: Memory) -> list[str]:
    return [it.id for issue in (29, 30, 31) for it in memory.by_issue(issue)]


def test_ids_are_found_in_any_issue_by_their_ends_and_keep_their_order(memory: Memory) -> None:
    write_issue(memory.path, 7, record("a-77", issueNumber=7), record("b-77", issueNumber=7))
    for plan in (memory.plan.remove, memory.plan.archive, memory.plan.forget):
        found = plan(["b-77", "s-4", "obs-1"])
        assert list(dict.fromkeys(it.id for it in found.changes)) == ["b-77", "obs-4", "obs-1"]
        assert {it.issue for it in found.changes} == {7, 29, 31}
        with pytest.raises(AmbiguousId):
            plan(["obs-1", "77"])
        with pytest.raises(NotFound):
            plan(["obs-1", "obs-9"])
    memory.apply(memory.plan.archive("obs-4"))
    assert [it.id for it in memory.plan.restore(["s-4"]).changes] == ["obs-4", "obs-4"]
    assert memory.plan.restore(["obs-1"]).is_empty


def test_what_came_to_stand_in_another_issue_is_not_brought_in_a_second_time(
    memory: Memory,
) -> None:
    plan = memory.plan.add([observation("New", id="new"), observation("Taken", id="taken")])
    write_issue(memory.path, 40, record("taken", issueNumber=40))
    heard = _heard(memory)
    with pytest.raises(Conflict, match="taken is now in issue 40; nothing changed"):
        memory.apply(plan)
    assert _standing(memory) == ["obs-2", "obs-4", "obs-3", "obs-1"]
    applied = memory.apply(memory.plan.remove(["obs-1", "obs-3"]))
    write_issue(memory.path, 41, record("obs-3", issueNumber=41))
    with pytest.raises(Conflict, match="obs-3 is now in issue 41"):
        memory.undo(applied.operation_id)
    (memory.path / "issue-41.json").unlink()
    memory.undo(applied.operation_id)
    assert _standing(memory) == ["obs-2", "obs-4", "obs-3", "obs-1"]
    added = memory.apply(memory.plan.add([observation("Late", id="late")]))
    memory.undo(added.operation_id)
    write_issue(memory.path, 42, record("late", issueNumber=42))
    with pytest.raises(Conflict, match="late is now in issue 42"):
        memory.redo()
    assert [it[0] for it in heard] == ["remove", "undo", "add", "undo"]


def test_who_goes_through_many_issues_is_told_and_may_stop(memory: Memory) -> None:
    told: list[tuple[int, int]] = []

    def goes_on(done: int, of: int) -> bool:
        told.append((done, of))
        return done < 2

    applied = memory.apply(memory.plan.remove(["obs-1", "obs-2", "obs-3"]), goes_on)
    assert (told, applied.changed) == ([(0, 3), (1, 3), (2, 3)], 2)
    assert [it.kind for it in applied.left] == ["stopped"]
    assert _standing(memory) == ["obs-4", "obs-3"]
    for again in (memory.undo, memory.redo):
        seen: list[tuple[int, int]] = []
        again(applied.operation_id, progress=lambda *it, seen=seen: seen.append(it))
        assert seen[0] == (0, 3)
        assert [of for _, of in seen] == [3] * len(seen)


@pytest.mark.parametrize("first", [29, 30])
def test_what_can_not_be_written_is_left_and_what_the_disk_did_not_confirm_is_said_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    changing = memory.backend.changing
    errors: dict[int, StoreError] = {
        first: NotSynced("Not confirmed.", ""),
        59 - first: WriteFailed("No room.", ""),
    }

    @contextmanager
    def failing(issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        if isinstance(error := errors.get(issue), WriteFailed):
            raise error
        with changing(issue, lookup) as records:
            yield records
        if error is not None:
            raise error

    monkeypatch.setattr(memory.backend, "changing", failing)
    applied = memory.apply(memory.plan.tag(["obs-3", "obs-2", "obs-1"], ["x"]))
    assert (applied.changed, applied.unfinished) == (1, True)
    assert {(it.kind, it.values["issue"], it.values["text"]) for it in applied.left} == {
        ("issue-changed", first, "Not confirmed."),
        ("issue-not-changed", 59 - first, "No room."),
    }
