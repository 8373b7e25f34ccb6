"""Every value of a record or session is taken out or made wrong: it is read, or refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from store.action import action_of
from store.activity.log import activity_entry
from store.agents.registry import client_named
from store.backends.log_summary import LogSummary, summarise
from store.backends.memory.backend import Held, MemoryBackend
from store.backends.text_kinds import TextKind
from store.clarifications.records import clarification_of
from store.errors import StoreError
from store.exchange.json_lines import read_json_lines
from store.notice import notice_of
from store.operations.journal import read_operation
from store.records import from_record
from store.sessions import checkpoint
from store.sessions.digest_record import digest_from_record
from tests.store.agents.test_clients import ROWS, SAMPLES, Row
from tests.store.full_records import (
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

WRONG: tuple[object, ...] = (None, 7, "x", ["y"], {"z": 0}, True, "")


def _journal_entry(value: object) -> object:
    backend = MemoryBackend(Held("here"))
    backend.texts.keep(TextKind.OPERATIONS, OPERATION["id"], json.dumps(value).encode())
    return read_operation(backend, OPERATION["id"])


def _other_tools(value: object) -> object:
    lines = "\n".join(map(json.dumps, value if isinstance(value, list) else [value]))
    return read_json_lines(lines, "other.jsonl")


def _log_summary(lines: list[object]) -> object:
    return summarise(LogSummary(), [json.dumps(line).encode() for line in lines], 9)


READERS: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "memory": (RECORD, lambda value: from_record(value, 7)),
    "operation": (OPERATION, _journal_entry),
    "clarification": (CLARIFICATION, lambda value: clarification_of(value, 7)),
    "session": (DIGEST, digest_from_record),
    "checkpoint": (CHECKPOINT, checkpoint.from_record),
    "log line": (ENTRY, activity_entry),
    "log summary": ([ENTRY, COUNTED, {**ENTRY, "afresh": False}], _log_summary),
    "action": (OPERATION, action_of),
    "old action": (OLD_ACTION, action_of),
    "notices": (OPERATION["notes"], lambda values: [notice_of(value) for value in values]),
    "issues": (ISSUES, _other_tools),
    "graph": (GRAPH, _other_tools),
}


def _places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each value inside a JSON value."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _damaged(value: object) -> Iterator[object]:
    """Yield the value without each of its parts in turn, then with something wrong there."""
    places: list[Any] = [*_places(value)]
    for number, (*outer, key) in enumerate(places):
        parent: Any = value
        for step in outer:
            parent = parent[step]
        held = parent[key]
        del parent[key]
        yield value
        parent.insert(key, held) if isinstance(parent, list) else parent.update({key: held})
        parent[key] = WRONG[number % len(WRONG)]
        yield value
        parent[key] = held


@pytest.mark.parametrize("kind", READERS)
def test_damaged_records(kind: str) -> None:
    value, read = READERS[kind]
    for damaged in _damaged(copy.deepcopy(value)):
        try:
            read(damaged)
        except (StoreError, ValueError):
            continue


@pytest.mark.parametrize("row", ROWS, ids=[row.sample for row in ROWS])
def test_damaged_sessions(row: Row) -> None:
    text = (SAMPLES / row.sample).read_text()
    by_line = row.sample.endswith(".jsonl")
    values = [json.loads(line) for line in text.splitlines()] if by_line else json.loads(text)
    read = client_named(row.client).read
    for damaged in _damaged(values):
        records = damaged if by_line and isinstance(damaged, list) else [damaged]
        try:
            list(read(f"{json.dumps(value)}\n".encode() for value in records))
        except StoreError:
            continue


def test_what_is_unknown_survives() -> None:
    known = clarification_of(CLARIFICATION, 7)
    assert known.record["kept"] == 1
    assert from_record({**RECORD, "kept": 1}, 7).extra["kept"] == 1
