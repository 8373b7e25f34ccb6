"""The query language: what is typed is taken apart without ever failing; what changes or exports
must be understood in full.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.words.notices import error_in_words
from store.errors import InvalidQuery
from store.search.query import (
    NAMES,
    Filter,
    Query,
    Term,
    check_understood,
    parse_moment,
    parse_query,
)
from tests.store.factories import NOW

_PIECES = st.sampled_from(
    ['"', "-", ":", ",", " ", "(", "a", "Auth", "C++", "is:", "sort:", "7d", "日本", "é", "#", "\n"]
    + [f"{field}:" for field in NAMES]
)
_TEXTS = st.text(st.characters(exclude_categories=()), max_size=30) | st.lists(
    _PIECES, max_size=12
).map("".join)


def _parse(text: str) -> Query:
    return parse_query(text, NOW)


@given(_TEXTS)
def test_spans_of_any_text(text: str) -> None:
    query = _parse(text)
    assert query.text == text
    for span in query.spans:
        assert 0 <= span.start < span.end <= len(text)
        assert not text[span.start : span.end].isspace()
    for one, other in pairwise(query.spans):
        assert one.end <= other.start
    assert all(any(char.isalnum() for char in term.text) for term in query.terms)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"exact phrase"', (Term("exact phrase", phrase=True),)),
        ('"half a phr', (Term("half a phr", phrase=True, prefix=True),)),
        ('"auth', (Term("auth", phrase=True, prefix=True),)),
        ("-word", (Term("word", negated=True),)),
        ('-"two words"', (Term("two words", phrase=True, negated=True),)),
        ('-"two wor', (Term("two wor", phrase=True, negated=True),)),
        ("--x", (Term("-x", negated=True),)),
        ("a-b", (Term("a-b", prefix=True),)),
        ("C++ ", (Term("C++"),)),
        ("a:b", (Term("a:b", prefix=True),)),
        ("http://x.y ", (Term("http://x.y"),)),
        ('one"two"', (Term("one"), Term("two", phrase=True))),
        ("", ()),
        ('"', ()),
        ("-", ()),
        ('-"', ()),
    ],
)
def test_terms(text: str, terms: tuple[Term, ...]) -> None:
    assert _parse(text).terms == terms
    assert _parse(text).notes == ()


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("agent:engineer", (Filter("agent", ("engineer",)),)),
        ("agent:engineer,architect", (Filter("agent", ("engineer", "architect")),)),
        ("-agent:x", (Filter("agent", ("x",), negated=True),)),
        ("AGENT:x", (Filter("agent", ("x",)),)),
        ('tag:"two words",b', (Filter("tag", ("two words", "b")),)),
        ("agent:a,,a,", (Filter("agent", ("a",)),)),
        ("issue:#29,007", (Filter("issue", ("29", "7")),)),
        ("agent:", ()),
        ("agent:,", ()),
    ],
)
def test_fields(text: str, filters: tuple[Filter, ...]) -> None:
    query = _parse(text)
    assert query.filters == filters
    assert query.terms == ()
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-2-3", datetime(2026, 2, 3, tzinfo=UTC)),
        ("2026-02-27", datetime(2026, 2, 27, tzinfo=UTC)),
        ("today", datetime(2026, 3, 1, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 2, 28, tzinfo=UTC)),
        ("12h", NOW - timedelta(hours=12)),
        ("7d", NOW - timedelta(days=7)),
        ("3W", NOW - timedelta(weeks=3)),
        ("6m", NOW - timedelta(days=180)),
        ("1y", NOW - timedelta(days=365)),
    ],
)
def test_moments(text: str, moment: datetime) -> None:
    assert parse_moment(text, NOW) == moment


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13", "2026-02-30", "0000", "99999y", "7", "-7d", "7dd", "٢٠٢٦", "2026-01-"],
)
def test_no_moments(text: str) -> None:
    assert parse_moment(text, NOW) is None


def test_days_of_the_readers_zone() -> None:
    tokyo = timezone(timedelta(hours=9))
    now = datetime(2026, 3, 2, 8, tzinfo=tokyo)  # in UTC it is still the day before
    assert parse_moment("today", now) == datetime(2026, 3, 1, 15, tzinfo=UTC)
    assert parse_moment("yesterday", now) == datetime(2026, 2, 28, 15, tzinfo=UTC)
    assert parse_moment("2026-03-02", now) == datetime(2026, 3, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("is:nothing", "`is:` takes"),
        ("is:open,nothing", "`is:` takes"),
        ("issue:abc", "`issue:abc` is not a number"),
        ("issue:29,abc", "`issue:abc` is not a number"),
        ("agent:", "`agent:` needs a value"),
        ("lock agent:", "`agent:` needs a value"),
        ("after:foo", "`after:foo` is not a date"),
        ("after:7d,2026-01", "takes one value"),
        ("after:7d after:3d", "takes one value"),
        ("sort:newest sort:oldest", "takes one value"),
        ("sort:up", "`sort:up` is not one of"),
        ("agnt:x", "did you mean `agent:`"),
        ("-colour:red", "`colour:` is not a field"),
        ("layer:middle", "`layer:middle` is not one of"),
        ('"lock tim', "no closing quote"),
        ('agent:"the engineer', "no closing quote"),
        ("lock -", "`-` is empty"),
        ("((", "`((` is empty"),
        ("x" * 1_001, "1,000 characters"),
        ("branch:main", "`branch:` finds sessions"),
        ("-branch:main", "`branch:` finds sessions"),
    ],
)
def test_queries_refused_for_a_change(text: str, said: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        check_understood(parse_query(text, NOW))
    assert said in error_in_words(caught.value)


@pytest.mark.parametrize(
    ("text", "matches_everything"),
    [("", True), ("sort:newest", True), ("agent:", True), ("-x", False), ("after:7d", False)],
)
def test_matches_everything(text: str, matches_everything: bool) -> None:
    assert parse_query(text, NOW).matches_everything is matches_everything
