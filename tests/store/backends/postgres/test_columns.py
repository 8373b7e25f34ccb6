"""What of a record stands in which column, by kinds of values; no database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.backends.postgres.rows import TYPES, plain, record_of, row_of
from store.records import RawRecord, new_record
from tests.store.factories import record

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


def _read(row: dict[str, Any], issue: int = 29) -> RawRecord:
    """The record of a row whose text another program has removed."""
    columns = {**dict.fromkeys(TYPES), **row, "issue": issue, "record": None}
    return record_of(None, json.dumps(columns))


def test_a_plain_record_is_its_text_and_its_columns() -> None:
    value = new_record(record())
    row = _row(record())
    assert bytes.fromhex(row.pop("record")[2:]) == value.text
    assert row == {
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
    ("keys", "columns"),
    [
        ({"recallCount": 3}, {"access_count": 3}),
        ({"seenCount": 2}, {"seen_count": 2}),
        ({"tags": ["a", "b"]}, {"keywords": ["a", "b"]}),
        ({"sources": ["a"]}, {"sources": ["a"]}),
        ({"pinned": True}, {"pinned": True}),
        ({"muted": False}, {"muted": False}),
        ({"archived": True}, {"archived": True}),
        ({"relevanceScore": 0.5}, {"relevance_score": 0.5}),
        ({"relevanceScore": 1}, {"relevance_score": 1.0, "metadata": {"relevanceScore": 1}}),
        ({"lastRecalled": TIME}, {"last_accessed": TIME}),
        (
            {"lastRecalled": "2026-02-27T12:00:00+02:00"},
            {"last_accessed": TIME, "metadata": {"lastRecalled": "2026-02-27T12:00:00+02:00"}},
        ),
        ({"lastRecalled": "soon"}, {"metadata": {"lastRecalled": "soon"}}),
        ({"lastRecalled": 7}, {"metadata": {"lastRecalled": 7}}),
        (
            {"lastRecalled": "0001-02-03T00:00:00.000Z"},
            {"metadata": {"lastRecalled": "0001-02-03T00:00:00.000Z"}},
        ),
        ({"recallCount": True}, {"metadata": {"recallCount": True}}),
        ({"recallCount": 2**63}, {"metadata": {"recallCount": 2**63}}),
        ({"recallCount": 2**63 - 1}, {"access_count": 2**63 - 1}),
        ({"pinned": 1}, {"metadata": {"pinned": 1}}),
        ({"tags": ["a", 7]}, {"metadata": {"tags": ["a", 7]}}),
        ({"tags": "a"}, {"metadata": {"tags": "a"}}),
        ({"summary": 7}, {"summary": None, "metadata": {"summary": 7}}),
        ({"summary": None}, {"summary": None, "metadata": {"summary": None}}),
        ({"category": "error"}, {"category": "error", "memory_type": "episodic"}),
        ({"category": "task"}, {"category": "task", "memory_type": "working"}),
        ({"taskId": "t"}, {"task_id": "t", "metadata": {"taskId": "t"}}),
        ({"taskId": 7}, {"metadata": {"taskId": 7}}),
        ({"taskId": "a\0b"}, {"task_id": "a\ufffdb", "metadata": {"taskId": "a\ufffdb"}}),
        ({"summary": "a\0b"}, {"summary": "a\ufffdb"}),
        ({"summary": "a\ud800"}, {"summary": "a?"}),
        ({"b": 1, "aa": [2, {"c": None}]}, {"metadata": {"b": 1, "aa": [2, {"c": None}]}}),
        ({"aa": 1, "b": 2}, {"metadata": {"aa": 1, "b": 2}}),
        ({"x": {"aa": 1, "b": 2}}, {"metadata": {"x": {"aa": 1, "b": 2}}}),
        ({"x": 0.5}, {"metadata": {"x": 0.5}}),
        ({"x": "a\0"}, {"metadata": {"x": "a\ufffd"}}),
        ({"x": True}, {"metadata": {"x": True}}),
    ],
)
def test_which_columns_a_value_fills(keys: dict[str, Any], columns: dict[str, Any]) -> None:
    assert _changed(**keys) == columns


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
    again = _read(row, issue)
    assert again.value == ordered
    assert list(again.value) == list(ordered)


@pytest.mark.parametrize("text", [b"7", b'{"id":"a"}', b'{"id": "a", "id": "b"}', b"[1]"])
def test_the_text_of_a_record_is_kept(text: bytes) -> None:
    held = RawRecord(text, json.loads(text))
    row = row_of(held, 29)
    assert row["record"] == "\\x" + text.hex()
    assert record_of(text, None) == held


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
    assert {*row, "location", "place"} == set(TYPES)
    assert _read(row) == new_record(full)
    bare = {"agent": "engineer", "issueNumber": 29, "content": "Said"}
    assert _read({"agent_id": "engineer", "content": "Said"}) == new_record(bare)
