"""Every change is an operation; undos that race, redo, and what no undo brings back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from store.action import Action
from store.backends.files.issue_reader import read_issue
from store.backends.location import FOLDER
from store.errors import Conflict, NotFound, Unreadable, WriteFailed
from store.model import Location
from store.notice import notice
from store.operations import changes
from store.operations.apply import Applied, apply_plan
from store.operations.journal import operation_ids, read_operation
from store.operations.plan import Change, Plan
from store.operations.undo import last_undo, plan_undo, redo_operation, undo_operation
from tests.store.factories import (
    NOW,
    Clock,
    Store,
    make_memory,
    make_store,
    observation,
    record,
    records_in,
    write_issue,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    write_issue(store.folder, 29, record("a"), record("b"), record("c"))
    return store


def _remove(store: Store, identifier: str) -> str:
    where = {29: read_issue(store.folder, 29)}
    return apply_plan(store, changes.plan_remove(where, [identifier]), NOW).operation_id


def _held(store: Store) -> set[str]:
    return {item["id"] for item in records_in(store.folder / "issue-29.json")}


def _meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch, do: Any) -> None:  # noqa: ANN401
    """Has another program act when this one is about to change an issue, once."""
    changing, waiting = store.changing, [do]

    def after_the_other(*given: Any) -> Any:  # noqa: ANN401
        if waiting:
            waiting.pop()()
        return changing(*given)

    monkeypatch.setattr(store, "changing", after_the_other)


def test_an_undo_while_another_takes_the_same_back_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = _remove(store, "a"), _remove(store, "b")
    other = Store(store.folder)
    _meanwhile(store, monkeypatch, lambda: undo_operation(other, None, NOW))
    with pytest.raises(Conflict, match="just undone"):
        undo_operation(store, None, NOW)
    assert _held(store) == {"b", "c"}
    assert read_operation(store, newer).undone_by
    assert not read_operation(store, older).undone_by
    assert len(operation_ids(store)) == 3
    undo_operation(store, None, NOW)
    assert _held(store) == {"a", "b", "c"}


def test_redo_does_again_what_was_undone_last_first(store: Store) -> None:
    for identifier in "abc":
        _remove(store, identifier)
    undo_operation(store, None, NOW)
    undo_operation(store, None, NOW)
    assert _held(store) == {"b", "c"}
    assert redo_operation(store, None, NOW).action == Action("redo", {"memories": 1}, "remove")
    assert _held(store) == {"c"}
    redo_operation(store, None, NOW)
    assert _held(store) == set()
    with pytest.raises(NotFound, match="Nothing to redo"):
        redo_operation(store, None, NOW)
    for held in ({"c"}, {"b", "c"}, {"a", "b", "c"}):
        undo_operation(store, None, NOW)
        assert _held(store) == held


def test_an_undo_a_redo_and_an_operation_can_each_be_named(store: Store) -> None:
    operation = _remove(store, "b")
    undo = undo_operation(store, None, NOW).operation_id
    assert plan_undo(store, undo).action == Action("redo", {"memories": 1}, "remove")
    redone = redo_operation(store, operation, NOW).operation_id
    assert _held(store) == {"a", "c"}
    with pytest.raises(Conflict, match=f"Operation {undo[-4:]} is already redone"):
        redo_operation(store, undo, NOW)
    with pytest.raises(Conflict, match=f"Operation {operation[-4:]} is not undone"):
        redo_operation(store, operation, NOW)
    with pytest.raises(Conflict, match=f"Operation {redone[-4:]} is already redone"):
        redo_operation(store, redone, NOW)
    undo_operation(store, redone, NOW)
    assert _held(store) == {"a", "b", "c"}
    assert read_operation(store, operation).undone_by
    assert last_undo(store).undoes == operation


def _take_out(identifier: str, *, also: tuple[Change, ...] = ()) -> Plan:
    before, after = record(identifier), record(identifier, content="key [secret]")
    return Plan(
        Action("repair"),
        (Change(Location.ISSUE, 29, identifier, before, after, forget=True), *also),
    )


def test_undoing_a_repair_brings_back_all_but_the_secret_and_says_so(store: Store) -> None:
    gone = Change(Location.ISSUE, 29, "c", record("c"), None)
    apply_plan(store, _take_out("b", also=(gone,)), NOW)
    undone = undo_operation(store, None, NOW)
    assert undone.left == (notice("stays-redacted", id="b"),)
    standing = {it["id"]: it["content"] for it in records_in(store.folder / "issue-29.json")}
    assert (set(standing), standing["b"]) == ({"a", "b", "c"}, "key [secret]")
    assert redo_operation(store, None, NOW).changed == 1
    assert _held(store) == {"a", "b"}


def test_a_damaged_last_operation_is_told_and_no_older_taken_back_for_it(store: Store) -> None:
    _remove(store, "a")
    (store.folder / "operations" / f"{_remove(store, 'b')}.json").write_text("{")
    with pytest.raises(Unreadable, match="is damaged"):
        undo_operation(store, None, NOW)
    assert _held(store) == {"c"}


@contextmanager
def _full_disk_for(refused: int, store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk that takes every change but those of one issue."""
    changing = store.changing

    def refusing(issue: int) -> Any:  # noqa: ANN401
        if issue == refused:
            raise WriteFailed("The disk is full.", "")
        return changing(issue)

    with monkeypatch.context() as patch:
        patch.setattr(store, "changing", refusing)
        yield


def _removed_from_two_issues(store: Store) -> Applied:
    """The removal of a record each from issues 29 and 30."""
    write_issue(store.folder, 30, record("d", issueNumber=30))
    where = {issue: read_issue(store.folder, issue) for issue in (29, 30)}
    return apply_plan(store, changes.plan_remove(where, ["a", "d"]), NOW)


def test_an_undo_that_an_error_left_unfinished_can_be_finished(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = _removed_from_two_issues(store)
    with _full_disk_for(30, store, monkeypatch):
        undone = undo_operation(store, done.operation_id, NOW)
    assert (undone.unfinished, undone.changed, _held(store)) == (True, 1, {"a", "b", "c"})
    assert read_operation(store, done.operation_id).undone_by == ""
    rest = undo_operation(store, done.operation_id, NOW)
    assert (rest.unfinished, rest.changed) == (False, 1)
    assert [item["id"] for item in records_in(store.folder / "issue-30.json")] == ["d"]
    assert read_operation(store, done.operation_id).undone_by == rest.operation_id
    assert last_undo(store).id == rest.operation_id
    with pytest.raises(Conflict, match="redone"):
        redo_operation(store, undone.operation_id, NOW)


def test_an_undo_leaves_the_files_as_they_were(tmp_path: Path) -> None:
    """Of an archive too, so that git has nothing to show."""
    clock = Clock()
    with make_memory(tmp_path, clock) as memory:
        kept, archived = memory.store([observation(), observation(content="Ask for a lock.")])
        files = memory_files(tmp_path)
        clock.pass_by(minutes=1)
        memory.apply(memory.plan.archive([archived]))
        assert set(memory_files(tmp_path)) > set(files)
        clock.pass_by(minutes=1)
        memory.undo()
        assert memory_files(tmp_path) == files

        memory.apply(memory.plan.tag([kept], add=["later"]))
        tagged = memory_files(tmp_path)
        clock.pass_by(minutes=1)
        memory.apply(memory.plan.archive([archived]))
        clock.pass_by(minutes=1)
        memory.undo()
        assert memory_files(tmp_path) == tagged
        memory.undo()
        assert memory_files(tmp_path) == files


def memory_files(root: Path) -> dict[str, bytes]:
    paths = [*root.glob(f"{FOLDER}/issue-*.json"), *root.glob(f"{FOLDER}/archive/*")]
    return {path.name: path.read_bytes() for path in paths}
