"""What is read of records and sessions in which one value is missing or wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.action import action_of
from store.activity import activity_entry
from store.agents.registry import client_named
from store.backends.log_summary import LogSummary, summarise
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.clarifications.records import clarification_of, clarification_record
from store.errors import StoreError
from store.exchange.other_tools import reader_of
from store.notice import notice_of
from store.operations.journal import read_operation
from store.records import from_record
from store.sessions import checkpoint, record
from tests.store.agents.test_clients import ROWS, SAMPLES, Row, ids
from tests.store.whole.altered import alterations, told_of
from tests.store.whole.kept import (
    CHECKPOINT,
    CLARIFICATION,
    COUNTED,
    DIGEST,
    ENTRY,
    GRAPH,
    ISSUES,
    OLD_ACTION,
    OPERATION,
    RECORD,
)
from tests.store.whole.plain import as_text

Read = Callable[[Any], object]


def _operation(value: object) -> object:
    backend = MemoryBackend(Held("here"))
    backend.keep(TextKind.OPERATIONS, OPERATION["id"], json.dumps(value).encode())
    return read_operation(backend, OPERATION["id"])


def _answered(value: object) -> object:
    """A clarification, and its record with another answer."""
    known = clarification_of(value, 7)
    answer = known.thread[-1:] or ()
    more = replace(known, status="resolved", thread=(*known.thread, *answer))
    return known, clarification_record(more), clarification_record(replace(more, record={}))


def _of_other_tools(value: object) -> object:
    lines = "\n".join(map(json.dumps, value if isinstance(value, list) else [value]))
    read = reader_of(lines)
    return read(lines, "other.jsonl") if read else "not theirs"


READERS: dict[str, tuple[object, Read]] = {
    "memory": (RECORD, lambda it: from_record(it, 7)),
    "operation": (OPERATION, _operation),
    "clarification": (CLARIFICATION, _answered),
    "session": (DIGEST, record.from_record),
    "checkpoint": (CHECKPOINT, checkpoint.from_record),
    "line of the log": (ENTRY, activity_entry),
    "summary of the log": (
        [ENTRY, COUNTED, {**ENTRY, "afresh": False, "observationIds": ["obs-3"]}],
        lambda it: summarise(LogSummary(), [json.dumps(each).encode() for each in it], 9).text,
    ),
    "action": (OPERATION, action_of),
    "action of an earlier version": (OLD_ACTION, action_of),
    "notice": (OPERATION["notes"], lambda it: list(map(notice_of, it))),
    "issues of another tool": (ISSUES, _of_other_tools),
    "graph of another tool": (GRAPH, _of_other_tools),
}


def _told(read: Read, value: object) -> list[str]:
    """What is read, a line for each field."""
    try:
        return str(as_text(read(value))).splitlines()
    except (StoreError, ValueError) as error:
        return [f"{type(error).__name__}: {error}"]


@pytest.mark.parametrize("what", READERS)
def test_a_record_with_a_value_missing_or_wrong(what: str, snapshot: SnapshotAssertion) -> None:
    value, read = READERS[what]
    assert told_of(alterations(value), lambda it: _told(read, it), value) == snapshot


def _events(client: str, values: list[Any], *, by_line: bool) -> list[str]:
    lines = map(json.dumps, values if by_line else values[:1])
    try:
        return [
            repr(it) for it in client_named(client).read(f"{line}\n".encode() for line in lines)
        ]
    except StoreError as error:
        return [f"{type(error).__name__}: {error.message}"]


@pytest.mark.parametrize("row", ROWS, ids=ids)
def test_a_session_with_a_value_missing_or_wrong(row: Row, snapshot: SnapshotAssertion) -> None:
    text = (SAMPLES / row.sample).read_text()
    by_line = row.sample.endswith(".jsonl")
    values = [json.loads(line) for line in text.splitlines()] if by_line else [json.loads(text)]
    told = told_of(alterations(values), lambda it: _events(row.client, it, by_line=by_line), values)
    assert told == snapshot
