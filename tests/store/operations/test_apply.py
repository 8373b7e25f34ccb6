"""Plans that are carried out while others write, and records of one id."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.action import Action
from store.backends.files.issue_file import parse_issue_file
from store.backends.files.issue_reader import read_issue
from store.backends.files.layout import archive_name, issue_name, list_issues
from store.backends.files.locks import StoreLock
from store.backends.text_kinds import TextKind
from store.errors import Conflict, NotFound, NotSynced, WriteFailed
from store.model import Location
from store.notice import notice
from store.operations import changes
from store.operations.apply import apply_plan
from store.operations.changes import plan_archive
from store.operations.journal import operation_ids
from store.operations.plan import Move, Plan
from store.operations.undo import undo_operation
from tests.store.factories import NOW, Store, make_store, record, records_in, write_issue


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    write_issue(store.folder, 29, record("a", huge=10**30), record("b"), record("c"))
    write_issue(store.folder, 30, record("d", issueNumber=30))
    write_issue(store.folder, 29, record("old", archived=True), archived=True)
    return store


def _where(store: Store) -> changes.Where:
    return {issue: read_issue(store.folder, issue) for issue in (29, 30)}


def _standing(store: Store) -> dict[str, list[Any]]:
    """The records in every file that has any, by its name; their order aside."""
    found = {path.name: records_in(path) for path in store.folder.rglob("issue-*.json")}
    return {name: sorted(records, key=json.dumps) for name, records in found.items() if records}


def _edit_by_hand(store: Store, identifier: str, **keys: object) -> None:
    with store.changing(29) as records:
        value = records.find(Location.ISSUE, identifier)
        assert value is not None
        records.put(Location.ISSUE, {**value, **keys})


def test_what_changed_since_is_left_and_named(store: Store) -> None:
    plan = changes.plan_remove(_where(store), ["a", "b", "d"])
    _edit_by_hand(store, "b", content="Told anew")
    applied = apply_plan(store, plan, NOW)
    assert applied.changed == 2
    assert applied.left == (notice("memory-changed-since", id="b", issue=29),)
    assert [item["id"] for item in records_in(store.folder / "issue-29.json")] == ["b", "c"]
    assert records_in(store.folder / "issue-30.json") == []


def test_where_nothing_can_be_done_nothing_is_kept_of_it(store: Store) -> None:
    plan = changes.plan_remove(_where(store), ["b"])
    _edit_by_hand(store, "b", content="Told anew")
    with pytest.raises(Conflict, match="Nothing changed"):
        apply_plan(store, plan, NOW)
    assert operation_ids(store) == []
    with pytest.raises(NotFound, match="Nothing to undo"):
        undo_operation(store, None, NOW)


def test_counters_of_use_are_no_conflict_and_are_kept(store: Store) -> None:
    plan = changes.plan_edit(_where(store), ["b"], {"pinned": True})
    _edit_by_hand(store, "b", recallCount=7, seenCount=3)
    assert apply_plan(store, plan, NOW).left == ()
    _edit_by_hand(store, "b", recallCount=8)
    assert undo_operation(store, None, NOW).left == ()
    held = next(item for item in records_in(store.folder / "issue-29.json") if item["id"] == "b")
    assert held == {**record("b"), "recallCount": 8, "seenCount": 3}


def test_a_move_that_broke_off_between_its_files_is_carried_out(store: Store) -> None:
    plan = changes.plan_archive(_where(store), ["b"])
    with store.changing(29) as records:
        records.put(Location.ARCHIVE, record("b", archived=True))
    assert apply_plan(store, plan, NOW).left == ()
    assert [it["id"] for it in records_in(store.folder / "issue-29.json")] == ["a", "c"]


def test_an_undo_leaves_what_changed_since_and_names_it(store: Store) -> None:
    applied = apply_plan(store, changes.plan_edit(_where(store), ["a", "b"], {"pinned": True}), NOW)
    _edit_by_hand(store, "b", content="Told anew")
    undone = undo_operation(store, None, NOW)
    assert undone.left == (notice("memory-changed-since", id="b", issue=29),)
    found = {item["id"]: item for item in records_in(store.folder / "issue-29.json")}
    assert found["a"] == record("a", huge=10**30)
    assert found["b"] == record("b", content="Told anew", pinned=True)
    with pytest.raises(Conflict, match="is already undone"):
        undo_operation(store, applied.operation_id, NOW)


def test_a_move_is_taken_back_whole_or_not_at_all(store: Store) -> None:
    apply_plan(store, changes.plan_archive(_where(store), ["b"]), NOW)
    with store.changing(29) as records:
        records.put(Location.ARCHIVE, record("b", archived=True, content="Told anew"))
    with pytest.raises(Conflict, match="Nothing changed"):
        undo_operation(store, None, NOW)
    assert "b" not in {item["id"] for item in records_in(store.folder / "issue-29.json")}


def test_what_is_as_planned_already_is_no_conflict(store: Store) -> None:
    plan = changes.plan_edit(_where(store), ["b"], {"pinned": True})
    apply_plan(store, plan, NOW)
    assert apply_plan(store, plan, NOW).left == ()


def test_what_can_not_be_read_is_left_and_named(store: Store) -> None:
    plan = changes.plan_remove(_where(store), ["b", "d"])
    (store.folder / "issue-29.json").write_text("<<<<<<<")
    applied = apply_plan(store, plan, NOW)
    assert applied.changed == 1
    (left,) = applied.left
    assert (left.kind, left.values["issue"]) == ("issue-not-changed", 29)
    assert "issue-29.json is not valid JSON" in str(left.values["text"])
    assert (store.folder / "issue-29.json").read_text() == "<<<<<<<"


def test_what_may_not_last_in_the_journal_is_not_carried_out(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = store.texts.keep

    def unsure(*given: Any, **how: Any) -> None:  # noqa: ANN401
        keep(*given, **how)
        raise NotSynced("The disk did not confirm the write.", "")

    before = _standing(store)
    monkeypatch.setattr(store.texts, "keep", unsure)
    with pytest.raises(WriteFailed, match="Nothing changed"):
        apply_plan(store, changes.plan_remove(_where(store), ["a"]), NOW)
    assert _standing(store) == before
    assert operation_ids(store) == []


@pytest.mark.parametrize("identifier", ["a", "old"])
@pytest.mark.parametrize("written", [False, True])
def test_a_write_that_failed_stays_in_the_journal_only_where_it_shows(
    store: Store, monkeypatch: pytest.MonkeyPatch, written: bool, identifier: str
) -> None:
    changing = store.changing

    @contextmanager
    def failing(issue: int, see: Any = None) -> Iterator[Any]:  # noqa: ANN401
        with suppress(WriteFailed), changing(issue, see) as records:
            yield records
            if not written:
                raise WriteFailed("The disk is full.", "")
        raise WriteFailed("The disk is full.", "")

    monkeypatch.setattr(store, "changing", failing)
    with pytest.raises(WriteFailed):
        apply_plan(store, changes.plan_remove(_where(store), [identifier]), NOW)
    assert len(operation_ids(store)) == written


def test_an_operation_is_named_and_kept_while_nobody_else_can(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that begin at once would else take one id, and one of them lose its way back."""
    held: list[bool] = []
    keep = store.texts.keep

    def kept(kind: TextKind, name: str, data: bytes, **how: bool) -> None:
        if kind is TextKind.OPERATIONS:
            held.append(StoreLock(store.folder).is_held())
        keep(kind, name, data, **how)

    monkeypatch.setattr(store.texts, "keep", kept)
    apply_plan(store, changes.plan_remove(_where(store), ["a"]), NOW)
    assert held == [True]
    assert not StoreLock(store.folder).is_held()


@pytest.mark.parametrize("copied", [False, True])
def test_a_failed_write_is_taken_for_none_where_nothing_shows_of_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, copied: bool
) -> None:
    """What can't be read shows nothing, nor does a copy in the archive; and the history keeps no
    operation that did nothing.
    """
    plan = (changes.plan_archive if copied else changes.plan_remove)(_where(store), ["a"])

    def full(*_: object) -> Iterator[Any]:
        if copied:
            write_issue(store.folder, 29, record("a", archived=True), archived=True)
        else:
            (store.folder / "issue-29.json").write_text("{")
        raise WriteFailed("The disk is full.", "")

    monkeypatch.setattr(store, "changing", full)
    with pytest.raises(WriteFailed):
        apply_plan(store, plan, NOW)
    assert list(operation_ids(store)) == []


# Stopping between two issues: what is done is whole, and can be taken back.


def test_what_is_moved_last_stays_where_the_plan_is_stopped(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    for issue in (1, 2):
        write_issue(store.folder, issue, record(f"a{issue}", issueNumber=issue))
    file = write_issue(store.folder, 7, record("c", issueNumber=7))
    where = {issue: read_issue(store.folder, issue) for issue in (1, 2)}
    plan = replace(
        plan_archive(where, ["a1", "a2"]),
        moves=(Move("issue-7.json", "quarantine/issue-7.json"),),
        moves_last=True,
    )
    applied = apply_plan(store, plan, NOW, goes_on=lambda done, total: done < 1)
    assert applied.changed == 1
    assert file.exists()


# Applying a plan and taking it back leaves every record as it was, whatever else a file holds.


_odd: st.SearchStrategy[object] = st.sampled_from(
    [None, 5, "text", [], {}, {"id": "no more than an id"}, {"id": 7, "content": "x"}, float("nan")]
)
_extra = st.dictionaries(
    st.sampled_from(["tags", "recallCount", "relevanceScore", "unknown", "pinned", "archived"]),
    st.sampled_from(
        [None, True, 10**30, -1.5, float("inf"), float("nan"), "text \ud83d", ["tag"], {"a": [1]}]
    ),
    max_size=3,
)
_PLACES = st.sampled_from([issue_name(7), archive_name(7), issue_name(8), archive_name(8)])


def _record(number: int, extra: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"obs-engineer-7-1709035200000-{number:06}",
        "agent": "engineer",
        "issueNumber": 7,
        "category": "decision",
        "content": f"Chose number {number}",
        "timestamp": "2024-02-27T12:00:00.000Z",
        **extra,
    }


def _fill(folder: Path, records: list[tuple[str, object]]) -> None:
    (folder / "archive").mkdir(parents=True)
    for place in {place for place, _ in records}:
        content = [record for where, record in records if where == place]
        (folder / place).write_text(json.dumps({"version": 1, "x": 2, "observations": content}))


def _stands(folder: Path) -> Counter[tuple[str, str]]:
    """Every record with its file, as text; the order in a file doesn't count."""
    return Counter(
        (name, json.dumps(record.exact(), sort_keys=True))
        for name in list_issues(folder)
        for record in parse_issue_file((folder / name).read_bytes(), name).records
    )


def _plan(where: changes.Where, wanted: list[tuple[str, str]]) -> Plan:
    """One plan of several kinds of changes, each to another observation."""
    makers: dict[str, Callable[[changes.Where, list[str]], Plan]] = {
        "remove": changes.plan_remove,
        "archive": changes.plan_archive,
        "restore": changes.plan_restore,
        "edit": lambda where, ids: changes.plan_edit(where, ids, {"tags": ("seen",)}),
    }
    parts = [makers[kind](where, [name]) for name, kind in wanted]
    return Plan(Action("mixed"), tuple(change for part in parts for change in part.changes))


@settings(max_examples=15)
@given(data=st.data())
def test_apply_then_undo_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    good = [
        (data.draw(_PLACES), _record(number, extra))
        for number, extra in enumerate(data.draw(st.lists(_extra, min_size=1, max_size=5)))
    ]
    bad = data.draw(st.lists(st.tuples(_PLACES, _odd), max_size=3))
    store = Store(tmp_path_factory.mktemp("home") / "memory")
    _fill(store.folder, [*good, *bad])
    before = _stands(store.folder)
    where = {issue: read_issue(store.folder, issue) for issue in (7, 8)}
    names = [str(record["id"]) for _, record in good]
    kinds = st.sampled_from(["remove", "archive", "restore", "edit"])
    wanted = data.draw(st.lists(st.tuples(st.sampled_from(names), kinds), unique_by=lambda w: w[0]))
    plan = _plan(where, wanted)
    with mock.patch.object(os, "fsync", lambda descriptor: None):
        assert apply_plan(store, plan, NOW).left == ()
        if not plan.is_empty:
            assert _stands(store.folder) != before
            undo_operation(store, None, NOW + timedelta(seconds=1))
    assert _stands(store.folder) == before


def test_of_two_records_with_one_id_the_other_is_never_lost(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory")
    twin = {**_record(1, {}), "content": "the other"}
    _fill(store.folder, [(issue_name(7), _record(1, {})), (issue_name(7), twin)])
    where = {7: read_issue(store.folder, 7)}
    apply_plan(store, changes.plan_remove(where, [str(twin["id"])]), NOW)
    assert [item.content for item in store.by_issue(7)] == ["the other"]
    with pytest.raises(Conflict):
        undo_operation(store, None, NOW)
    assert [item.content for item in store.by_issue(7)] == ["the other"]
