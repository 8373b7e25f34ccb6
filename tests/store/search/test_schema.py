"""The document of each kind of observation, and the observation that comes back of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.log_summary import Recalls
from store.model import Location
from store.records import from_record
from store.search.documents import observation_of
from store.search.schema import Indexable, digest_of, to_document
from tests.store.factories import NOW, record

LOGGED = Recalls(3, "2026-02-28T10:00:00.000Z")
OBSERVATIONS: dict[str, tuple[dict[str, Any], Location, Recalls | None]] = {
    "plain": ({}, Location.ISSUE, None),
    "pinned and muted": ({"pinned": True, "muted": True, "tags": ["a", "B c"]},
                         Location.ISSUE, None),
    "archived in its issue": ({"archived": True}, Location.ISSUE, None),
    "in the archive": ({"archived": True}, Location.ARCHIVE, None),
    "an open task": ({"category": "task"}, Location.ISSUE, None),
    "without a session": ({"sessionId": ""}, Location.ISSUE, None),
    "recalled": ({"recallCount": 2, "lastRecalled": "2026-02-27T11:00:00.000Z"},
                 Location.ISSUE, None),
    "recalled by the log": ({"recallCount": 2, "lastRecalled": "2026-02-27T11:00:00.000Z"},
                            Location.ISSUE, LOGGED),
    "recalled by a log of no times": ({}, Location.ISSUE, Recalls(1, "soon")),
    "Chinese": ({"content": "锁等待", "summary": "锁"}, Location.ISSUE, None),
    "with aliases": ({"properties": {"aliases": ["The gate"]}}, Location.ISSUE, None),
    "of yesterday": ({"content": "Yesterday it broke, in March 2025 too"}, Location.ISSUE, None),
    "half a character": ({"content": "cut \ud83d", "agent": "a\ud83d", "tags": ["\ud83d"]},
                         Location.ISSUE, None),
}  # fmt: skip


def _indexable(name: str) -> Indexable:
    keys, location, recalls = OBSERVATIONS[name]
    value = record("obs-engineer-29-1772366400000-abc123", **keys)
    text = json.dumps(value).encode()
    digest = digest_of(text, location, 29, recalls)
    return Indexable(from_record(value, 29), text, location, 4, digest, recalls)


def test_the_document_of_each(snapshot: SnapshotAssertion) -> None:
    told = []
    for name in OBSERVATIONS:
        fields = to_document(_indexable(name)).to_dict()
        shown = {key: it for key, it in fields.items() if key != "record"}
        told.append(f"{name}: {json.dumps(shown, ensure_ascii=True, default=repr)}")
    assert "\n".join(told) == snapshot


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_the_observation_comes_back(name: str) -> None:
    item = _indexable(name)
    expected = item.observation
    if item.location is Location.ARCHIVE:
        expected = expected._replace(archived=True)
    if item.recalls is not None:
        last = NOW.replace(month=2, day=28, hour=10) if item.recalls is LOGGED else None
        expected = expected._replace(
            recall_count=expected.recall_count + item.recalls.count, last_recalled=last
        )
    assert observation_of(to_document(item)) == expected
