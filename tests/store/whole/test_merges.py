"""Two edits of one memory, and files that git put together line by line: what each merge keeps."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement
from typing import Any

from syrupy.assertion import SnapshotAssertion

from store.merge.files import Side, merge_files
from store.merge.record import alternatives, merge_records, resolved
from store.records import new_record
from tests.store.factories import record
from tests.store.full_records import RECORD

Record = dict[str, Any]
EDITS: tuple[Record, ...] = (
    {},
    {"content": "A lease ends.\nAfter nine seconds."},
    {"content": "It ends.", "summary": "It ends.", "editedAt": "2026-03-04T00:00:00.000Z"},
    {"summary": "Ends.", "tokens": 5, "editedAt": "2026-03-03T00:00:00+02:00"},
    {"recallCount": 5, "lastRecalled": "2026-03-05T10:00:00.000Z", "relevanceScore": 0.9},
    {"recallCount": 4, "lastRecalled": "2026-03-04T10:00:00.000Z", "seenCount": 9},
    {"recallCount": "many", "seenCount": None, "relevanceScore": "high"},
    {"tags": ["queue", "new"], "sources": ["s-1", "s-2"]},
    {"tags": [], "sources": "s-3", "pinned": False},
    {"archived": False, "muted": False},
    {"category": "decision", "agent": "qa", "issueNumber": 8},
    {"branch": "main", "other": {"a": [1]}},
    {"other": {"a": [2]}, "timestamp": "2026-02-01T10:00:00.000Z"},
    {"conflict": [{"content": "Or so."}]},
    {"conflict": [{"removed": True}], "tokens": 7},
)


def _edited(edit: Record) -> Record:
    without = {key: None for key in edit if edit[key] is None}
    return {key: it for key, it in {**RECORD, **edit}.items() if key not in without}


def test_two_edits_of_a_memory(snapshot: SnapshotAssertion) -> None:
    told = []
    for one, other in combinations_with_replacement(EDITS, 2):
        merged = merge_records(RECORD, _edited(one), _edited(other))
        assert merge_records(RECORD, _edited(other), _edited(one)) == merged
        new = {key: it for key, it in merged.items() if RECORD.get(key) != it}
        gone = [key for key in RECORD if key not in merged]
        told.append(f"{json.dumps(one)} | {json.dumps(other)}\n  {json.dumps(new)} {gone}")
        if one is not other and (kept := alternatives(merged)):
            told.append(f"  the other: {json.dumps(resolved(merged, len(kept)))}")
        apart = merge_records(None, _edited(one), _edited(other))
        if apart != merged:
            new = {key: it for key, it in apart.items() if merged.get(key) != it}
            told.append(f"  without a base {json.dumps(new)}")
    assert "\n".join(told) == snapshot


def _file(day: int, *records: Any, **header: object) -> Side:  # noqa: ANN401 - any JSON
    head = {"version": 1, "issueNumber": 29, "updatedAt": f"2026-02-0{day}T10:00:00.000Z"}
    return Side({**head, **header}, [new_record(it) for it in records])


A, B, C = record("a"), record("b", tags=["x"]), record("c", content="Third")
VERSIONS: tuple[tuple[Side, Side, Side], ...] = (
    (_file(1, A, B, C), _file(2, A, B), _file(3, A, {**B, "pinned": True}, C)),
    (_file(1, A, B), _file(2, A, {**B, "content": "Ours"}), _file(3, A)),
    (_file(1, A, B), _file(2, A), _file(3, A, {**B, "content": "Theirs"})),
    (_file(1, A), _file(2, C, A), _file(3, A, B)),
    (_file(1), _file(2, A, A, 7), _file(3, 7, {"id": 5}, {"x": 1}, {"x": 1})),
    (_file(1, 7, 7), _file(2, 7), _file(3, 7, 7, 8)),
    (_file(1, A, kept=1, gone=2), _file(2, A, kept=3), _file(3, A, kept=4, gone=2, new=5)),
    (_file(1, A), _file(2, A, kept=3), _file(3, A, kept={"deep": 1}, updatedAt=7)),
)


def test_two_versions_of_a_file(snapshot: SnapshotAssertion) -> None:
    told = []
    for base, ours, theirs in VERSIONS:
        for start in (base, None):
            merged = merge_files(start, ours, theirs)
            fates = [merged.ours, merged.theirs, merged.removed, merged.joined, merged.conflicts]
            told.append(f"{json.dumps(merged.header)} {fates}")
            told += [f"  {it.text.decode()}".replace("\n", " ") for it in merged.records]
    assert "\n".join(told) == snapshot
