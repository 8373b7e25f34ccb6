"""What of a record stands in which column, by kinds of values; no database."""

from __future__ import annotations

import json
from typing import Any

import pytest

from store.backends.postgres.records import plain, record_of, row_of
from store.records import RawRecord, new_record
from tests.store.factories import record

TIME = "2026-02-27T10:00:00.000Z"


def _row(value: dict[str, Any], issue: int = 29) -> dict[str, Any]:
    return row_of(new_record(value), issue)


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
