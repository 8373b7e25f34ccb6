"""Records: an observation goes to disk and comes back equal."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.model import Observation
from store.records import as_json, format_time, from_record, parse_time, to_record, updated_record
from tests.store.factories import NOW, record

_TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)).map(
    lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000)
)
_COUNTS = st.integers(0, 2**53 - 1)
_TEXTS = st.text(min_size=1, max_size=20)
_EXTRA = st.dictionaries(st.text(max_size=5).map("x".__add__), st.integers(), max_size=3)

observations = st.builds(
    Observation,
    id=_TEXTS,
    agent=_TEXTS,
    issue_number=st.just(29),
    category=_TEXTS,
    content=_TEXTS,
    summary=_TEXTS,
    tokens=_COUNTS,
    timestamp=_TIMES,
    session_id=st.text(max_size=5),
    recall_count=_COUNTS,
    relevance_score=st.floats(allow_nan=False, allow_infinity=False),
    archived=st.booleans(),
    tags=st.lists(_TEXTS, max_size=3).map(tuple),
    pinned=st.booleans(),
    muted=st.booleans(),
    last_recalled=st.none() | _TIMES,
    sources=st.lists(_TEXTS, max_size=3).map(tuple),
    seen_count=_COUNTS,
    extra=_EXTRA,
)


@given(observations)
def test_an_observation_comes_back_from_its_record(item: Observation) -> None:
    assert from_record(to_record(item), 29) == item


def test_unknown_keys_follow_the_known_ones() -> None:
    item = from_record(record(score=10**30, nested={"a": [1]}), 29)
    assert item.extra == {"score": 10**30, "nested": {"a": [1]}}
    assert list(to_record(item))[-2:] == ["score", "nested"]


def test_wrong_types_in_the_rest_get_their_defaults() -> None:
    item = from_record(
        record(
            summary=[],
            tokens=-1,
            sessionId=None,
            recallCount="many",
            relevanceScore="high",
            archived="yes",
            tags="one",
            pinned=1,
            lastRecalled="never",
            sources=[1, "two"],
            seenCount=True,
        ),
        29,
    )
    assert (item.summary, item.tokens) == ("Chose plain files for the record", 8)
    assert (item.session_id, item.recall_count, item.relevance_score) == ("", 0, 1.0)
    assert (item.archived, item.pinned, item.tags) == (False, False, ())
    assert (item.last_recalled, item.seen_count) == (None, 1)
    assert item.sources == ("1", "two")


def test_the_file_says_which_issue_a_record_belongs_to() -> None:
    assert from_record(record(issueNumber=7), 29).issue_number == 29


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-02-27T10:00:00.123Z", datetime(2026, 2, 27, 10, 0, 0, 123_000, UTC)),
        ("2026-02-27T10:00:00+02:00", datetime(2026, 2, 27, 8, tzinfo=UTC)),
        ("2026-02-27T10:00:00", datetime(2026, 2, 27, 10, tzinfo=UTC)),
        ("2026-02-27", datetime(2026, 2, 27, tzinfo=UTC)),
    ],
)
def test_times_are_read_in_utc(text: str, time: datetime) -> None:
    assert parse_time(text) == time


def test_a_time_beyond_the_calendar_is_no_time() -> None:
    with pytest.raises(ValueError, match="out of range"):
        parse_time("0001-01-01T00:00:00+12:00")


def test_times_are_written_as_agentx_writes_them() -> None:
    east = timezone(timedelta(hours=2))
    assert format_time(datetime(2026, 2, 27, 10, 0, 0, 123_999, east)) == "2026-02-27T08:00:00.123Z"


ODD = record(
    archived=False, recallCount=0, tags=[], seenCount=1, theirs={"a": 1}, tokens=77, pinned="yes",
    lastRecalled=None, timestamp="2026-02-27T11:00:00+01:00", sources=["s"], muted=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({}, {}),
        ({"content": "New"}, {"content": "New"}),
        ({"summary": "New", "tags": ("a", "b")}, {"summary": "New", "tags": ["a", "b"]}),
        ({"archived": True}, {"archived": True}),
        ({"pinned": True}, {"pinned": True}),
        ({"muted": False}, {"muted": None}),
        ({"sources": ()}, {"sources": None}),
        ({"sources": ("s", "t")}, {"sources": ["s", "t"]}),
        ({"recall_count": 3}, {"recallCount": 3}),
        ({"seen_count": 2}, {"seenCount": 2}),
        ({"last_recalled": NOW}, {"lastRecalled": "2026-03-01T12:00:00.000Z"}),
        ({"timestamp": NOW}, {"timestamp": "2026-03-01T12:00:00.000Z"}),
        ({"extra": {"theirs": {"a": 2}, "more": 1}}, {"theirs": {"a": 2}, "more": 1}),
        ({"extra": {}}, {"theirs": None}),
    ],
)
def test_only_edited_keys_change(fields: dict[str, Any], keys: dict[str, Any]) -> None:
    before = from_record(ODD, 29)
    after = updated_record(ODD, before, before._replace(**fields))
    gone = {key for key, value in keys.items() if value is None}
    expected = {key: value for key, value in {**ODD, **keys}.items() if key not in gone}
    assert after == expected
    assert [*after] == [*expected], "each stays where it stood"


# A record as it is laid out in its file, whatever its values need.


@pytest.mark.parametrize("last", ["x", "größer", "\ud800", 2**70, math.nan, None, [], {}])
def test_any_value_is_laid_out_alike(last: object) -> None:
    text = as_json({"a": {"b": [1, "c"]}, "last": last})
    assert text.startswith(b'{\n  "a": {\n    "b": [\n      1,\n      "c"\n    ]\n  },\n  "last": ')
    assert text.endswith(b"\n}")
    read = json.loads(text)["last"]
    assert read == last or (isinstance(read, float) and math.isnan(read))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_kept_wherever_it_stands(number: float) -> None:
    for value in ({"a": number}, [number], {"a": [1, {"b": [number, None]}]}):
        assert repr(json.loads(as_json(value))) == repr(value)
