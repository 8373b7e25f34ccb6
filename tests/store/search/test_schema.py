"""The document of each kind of observation, and the observation that comes back of it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from store.backends.log_summary import Recalls
from store.model import Location
from store.records import from_record
from store.search.documents import observation_of
from store.search.schema import Indexable, digest_of, hashed, session_key, to_document
from tests.store.factories import NOW, observation, record

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


@pytest.mark.parametrize(
    ("name", "times", "count", "last"),
    [
        ("plain", [], 0, None),
        ("plain", [0, 60], 2, 60),
        ("recalled", [-3 * 86_400, 60], 3, 60),
        ("recalled by the log", [-2 * 86_400, -86_400, 60], 7, 60),
        ("recalled by the log", [-9 * 86_400], 5, -26 * 3_600),
    ],
)
def test_recalls_since_the_index_counted_are_counted_in(
    name: str, times: list[float], count: int, last: float | None
) -> None:
    document = to_document(_indexable(name))
    shown = [(NOW + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%S.000Z") for at in times]
    identifier = _indexable(name).observation.id
    found = observation_of(document, {identifier: shown, "other": ["2026-03-09T00:00:00.000Z"]})
    at = None if last is None else NOW + timedelta(seconds=last)
    assert (found.recall_count, found.last_recalled) == (count, at)


def test_a_recall_of_no_time_leaves_the_last_that_is_known() -> None:
    item = _indexable("recalled")._replace(recalls=Recalls(1, "soon"))
    found = observation_of(to_document(item))
    assert (found.recall_count, found.last_recalled) == (3, item.observation.last_recalled)


def test_a_session_has_a_number_of_its_issue_and_none_has_none() -> None:
    def key(session: str, issue: int = 29) -> int:
        return session_key(observation(session_id=session, issue_number=issue))

    assert key("") == 0
    assert key("s") == key("s") == hashed("29\0s")
    assert len({key("s"), key("t"), key("s", 30), key("\ud83d")}) == 4
    assert all(0 < it < 2**63 for it in (key("s"), key("t"), key("\ud83d")))


def test_each_state_of_a_record_has_a_digest_of_its_own() -> None:
    states = [
        (b"a", Location.ISSUE, 29, None),
        (b"b", Location.ISSUE, 29, None),
        (b"a", Location.ARCHIVE, 29, None),
        (b"a", Location.ISSUE, 30, None),
        (b"a", Location.ISSUE, 29, Recalls(1, "x")),
        (b"a", Location.ISSUE, 29, Recalls(2, "x")),
        (b"a", Location.ISSUE, 29, Recalls(1, "y")),
    ]
    found = [digest_of(*it) for it in states]
    assert len({*found}) == len(states)
    assert [digest_of(*it) for it in states] == found
    assert all(0 <= it < 2**63 for it in found)
