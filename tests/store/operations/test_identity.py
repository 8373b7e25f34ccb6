"""Applying a plan and taking it back leaves every record as it was, whatever else a file holds."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
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
from store.errors import Conflict
from store.operations import changes
from store.operations.apply import apply_plan
from store.operations.plan import Plan
from store.operations.undo import undo_operation
from tests.store.factories import Store

NOW = datetime(2026, 2, 27, 10, tzinfo=UTC)

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
