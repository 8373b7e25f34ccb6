"""The query language: what is typed is taken apart without ever failing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.words.notices import sentence
from store.notice import notice
from store.search.query import (
    MAX_LENGTH,
    MAX_TERMS,
    NAMES,
    Filter,
    Query,
    SpanKind,
    Term,
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
def test_no_text_raises_and_its_spans_lie_apart_inside_it(text: str) -> None:
    query = _parse(text)
    assert query.text == text
    for span in query.spans:
        assert 0 <= span.start < span.end <= len(text)
        assert not text[span.start : span.end].isspace()
    for one, other in pairwise(query.spans):
        assert one.end <= other.start
    assert all(any(char.isalnum() for char in term.text) for term in query.terms)


@given(_TEXTS)
def test_everything_but_white_space_is_in_a_span(text: str) -> None:
    covered = {at for span in _parse(text).spans for at in range(span.start, span.end)}
    assert all(char.isspace() for at, char in enumerate(text) if at not in covered)


def test_words_must_all_match_and_the_last_is_still_typed() -> None:
    assert _parse("lock tim").terms == (Term("lock"), Term("tim", prefix=True))
    assert _parse("lock tim ").terms == (Term("lock"), Term("tim"))


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


def test_dates_and_ages() -> None:
    query = _parse("after:2026-01 before:7d")
    assert query.after == datetime(2026, 1, 1, tzinfo=UTC)
    assert query.before == NOW - timedelta(days=7)
    assert _parse("-after:2026").before == datetime(2026, 1, 1, tzinfo=UTC)
    assert _parse("-before:2026").after == datetime(2026, 1, 1, tzinfo=UTC)


def test_flags_and_order() -> None:
    query = _parse("is:pinned,open -is:archived sort:tokens")
    assert query.flags == (Filter("is", ("pinned", "open")), Filter("is", ("archived",), True))
    assert (query.sort, query.order) == ("tokens", "tokens")
    assert (_parse("").order, _parse("-x").order, _parse("x").order) == (
        "newest",
        "newest",
        "relevance",
    )


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("before:soon", "`before:soon` is not a date or age"),
        ("sort:size", "`sort:size` is not one of newest, oldest, tokens, recalled, relevance"),
        ("is:odd", "`is:` takes archived, pinned, muted, open, stale"),
        ("issue:x", "`issue:x` is not a number"),
        ("issue:1234567890", "`issue:1234567890` is not a number"),
        ("issue:٣", "`issue:٣` is not a number"),
    ],
)
def test_what_makes_no_sense_is_noted_and_coloured(text: str, note: str) -> None:
    query = _parse(text)
    assert tuple(map(sentence, query.notes)) == (note,)
    assert query.spans[-1].kind is SpanKind.UNKNOWN


def test_long_queries_are_cut_with_a_word_about_it() -> None:
    long = _parse("x" * 5_000)
    assert long.terms == (Term("x" * MAX_LENGTH, prefix=True),)
    assert long.notes == (notice("query-cut", characters=1_000),)
    many = _parse("ab " * 100)
    assert len(many.terms) == MAX_TERMS
    assert many.notes == (notice("words-cut", words=32),)


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ('tag:"a, b', ("a, b",)),
        ('tag:"a, b"', ("a, b",)),
        ('tag:a,"b, c', ("a", "b, c")),
        ("tag:a,b", ("a", "b")),
    ],
)
def test_a_quote_that_is_not_closed_yet_holds_a_value_together(
    typed: str, values: tuple[str, ...]
) -> None:
    (found,) = parse_query(typed, NOW).filters
    assert found.values == values
