"""What of a record stands in which column, by kinds of values; no database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.backends.postgres.rows import TYPES, plain, record_of, row_of
from store.raw_record import RawRecord, new_record
from tests.store.factories import record

COLUMNS = (
    "memory_id agent_id issue category content summary tokens timestamp session_id access_count "
    "relevance_score archived keywords pinned muted last_accessed sources seen_count"
).split()
TIME = "2026-02-27T10:00:00.000Z"


def _row(value: dict[str, Any], issue: int = 29) -> dict[str, Any]:
    return row_of(new_record(value), issue)


def _changed(**keys: Any) -> dict[str, Any]:  # noqa: ANN401
    """The columns that differ from those of a plain record."""
    before, after = _row(record()), _row(record(**keys))
    return {
        name: after.get(name)
        for name in {**before, **after}
        if after.get(name) != before.get(name) and name != "record"
    }


def test_a_plain_record_is_its_columns_alone() -> None:
    assert _row(record()) == {
        "memory_id": "keep-1",
        "agent_id": "engineer",
        "category": "decision",
        "content": "Chose plain files for the record",
        "summary": "Chose plain files for the record",
        "tokens": 8,
        "timestamp": TIME,
        "session_id": "s1",
        "memory_type": "semantic",
    }


@pytest.mark.parametrize(
    ("keys", "columns", "is_copied"),
    [
        ({"recallCount": 3}, {"access_count": 3}, False),
        ({"seenCount": 2}, {"seen_count": 2}, False),
        ({"tags": ["a", "b"]}, {"keywords": ["a", "b"]}, False),
        ({"sources": ["a"]}, {"sources": ["a"]}, False),
        ({"pinned": True}, {"pinned": True}, False),
        ({"muted": False}, {"muted": False}, False),
        ({"archived": True}, {"archived": True}, False),
        ({"relevanceScore": 0.5}, {"relevance_score": 0.5}, False),
        ({"relevanceScore": 1}, {"relevance_score": 1.0, "metadata": {"relevanceScore": 1}}, False),
        ({"lastRecalled": TIME}, {"last_accessed": TIME}, False),
        (
            {"lastRecalled": "2026-02-27T12:00:00+02:00"},
            {"last_accessed": TIME, "metadata": {"lastRecalled": "2026-02-27T12:00:00+02:00"}},
            False,
        ),
        ({"lastRecalled": "soon"}, {"metadata": {"lastRecalled": "soon"}}, False),
        ({"lastRecalled": 7}, {"metadata": {"lastRecalled": 7}}, False),
        (
            {"lastRecalled": "0001-02-03T00:00:00.000Z"},
            {"metadata": {"lastRecalled": "0001-02-03T00:00:00.000Z"}},
            False,
        ),
        ({"recallCount": True}, {"metadata": {"recallCount": True}}, False),
        ({"recallCount": 2**63}, {"metadata": {"recallCount": 2**63}}, True),
        ({"recallCount": 2**63 - 1}, {"access_count": 2**63 - 1}, False),
        ({"pinned": 1}, {"metadata": {"pinned": 1}}, False),
        ({"tags": ["a", 7]}, {"metadata": {"tags": ["a", 7]}}, False),
        ({"tags": "a"}, {"metadata": {"tags": "a"}}, False),
        ({"summary": 7}, {"summary": None, "metadata": {"summary": 7}}, False),
        ({"summary": None}, {"summary": None, "metadata": {"summary": None}}, False),
        ({"category": "error"}, {"category": "error", "memory_type": "episodic"}, False),
        ({"category": "task"}, {"category": "task", "memory_type": "working"}, False),
        ({"taskId": "t"}, {"task_id": "t", "metadata": {"taskId": "t"}}, False),
        ({"taskId": 7}, {"metadata": {"taskId": 7}}, False),
        ({"taskId": "a\0b"}, {"task_id": "a\ufffdb", "metadata": {"taskId": "a\ufffdb"}}, True),
        ({"summary": "a\0b"}, {"summary": "a\ufffdb"}, True),
        ({"summary": "a\ud800"}, {"summary": "a?"}, True),
        ({"b": 1, "aa": [2, {"c": None}]}, {"metadata": {"b": 1, "aa": [2, {"c": None}]}}, False),
        ({"aa": 1, "b": 2}, {"metadata": {"aa": 1, "b": 2}}, True),
        ({"x": {"aa": 1, "b": 2}}, {"metadata": {"x": {"aa": 1, "b": 2}}}, True),
        ({"x": 0.5}, {"metadata": {"x": 0.5}}, True),
        ({"x": "a\0"}, {"metadata": {"x": "a\ufffd"}}, True),
        ({"x": True}, {"metadata": {"x": True}}, False),
    ],
)
def test_what_a_value_fills_and_whether_its_text_is_kept_too(
    keys: dict[str, Any], columns: dict[str, Any], is_copied: bool
) -> None:
    assert _changed(**keys) == columns
    assert ("record" in _row(record(**keys))) is is_copied


@pytest.mark.parametrize(
    ("given", "issue", "metadata"),
    [
        ({"issueNumber": 29}, 29, None),
        ({"issueNumber": 29}, 30, {"issueNumber": 29}),
        ({"issueNumber": "29"}, 29, {"issueNumber": "29"}),
        ({}, 29, {"issueNumber": None}),
    ],
)
def test_an_issue_that_is_not_the_rows_is_kept_beside(
    given: dict[str, Any], issue: int, metadata: dict[str, Any] | None
) -> None:
    value = {key: it for key, it in record().items() if key != "issueNumber"} | given
    ordered = {key: value[key] for key in record() if key in value}
    row = _row(ordered, issue)
    assert row.get("metadata") == metadata
    columns = [issue if name == "issue" else row.get(name) for name in COLUMNS]
    again = record_of(columns, row.get("metadata"), None)
    assert again.value == ordered
    assert list(again.value) == list(ordered)


@pytest.mark.parametrize("text", [b"7", b'{"id":"a"}', b'{"id": "a", "id": "b"}', b"[1]"])
def test_a_text_that_columns_would_not_give_back_is_kept(text: bytes) -> None:
    held = RawRecord(text, json.loads(text))
    row = row_of(held, 29)
    assert row["record"] == "\\x" + text.hex()
    assert record_of([None] * len(COLUMNS), None, text) == held


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("a\0\ud800ü", "a\ufffd?ü"),
        ({"a\0": ["b\0", {"c": float("inf")}]}, {"a\ufffd": ["b\ufffd", {"c": None}]}),
        (float("nan"), None),
        (0.5, 0.5),
        (None, None),
        (True, True),
    ],
)
def test_what_a_database_cannot_hold_is_replaced_wherever_it_stands(
    value: object, kept: object
) -> None:
    assert plain(value) == kept


def test_each_column_that_is_written_has_a_type_and_is_read_where_it_belongs() -> None:
    full = record(
        recallCount=1, relevanceScore=0.5, archived=True, tags=["a"], pinned=True, muted=False,
        lastRecalled=TIME, sources=["b"], seenCount=2, taskId="t")  # fmt: skip
    row = _row(full)
    assert {*row, "location", "place", "record"} == set(TYPES)
    columns = [29 if name == "issue" else row[name] for name in COLUMNS]
    assert record_of(columns, row["metadata"], None) == new_record(full)
    bare = {"agent": "engineer", "content": "Said"}
    columns = [{"agent_id": "engineer", "content": "Said"}.get(name) for name in COLUMNS]
    assert record_of(columns, None, None) == new_record(bare)
