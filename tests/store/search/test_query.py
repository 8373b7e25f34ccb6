"""Queries, their words, and what of a text is highlighted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Document, Index, SchemaBuilder, Searcher

from memtui.words.notices import error_in_words
from store.errors import InvalidQuery
from store.search.analyzers import backwards
from store.search.documents import Endings
from store.search.highlight import marks, passage, wanted
from store.search.query import (
    NAMES,
    Filter,
    Query,
    Term,
    check_understood,
    parse_moment,
    parse_query,
)
from tests.store.factories import NOW, make_memory, observation

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


# How text becomes search terms, and ids endings.


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("把应用刷新token一次，5分钟后", "token"),
        ("把应用刷新token一次，5分钟后", "5分钟"),
        ("ระบบค้นหาช้า", "ค้นหา"),
        ("Templates of C++ differ", "c++"),
        ("Delegates of C# differ", "C#"),
        ("ﾊﾝｶｸのまま", "ハンカク"),
        ("ハンカクのまま", "ﾊﾝｶｸ"),
    ],
)
def test_words_between_odd_characters_are_found(tmp_path: Path, text: str, query: str) -> None:
    memory = make_memory(tmp_path)
    memory.add([observation(text), observation("Something else in C, in the same memory")])
    assert [hit.entry.summary for hit in memory.search(query).hits] == [text]


def searcher_of(ids: list[str]) -> Searcher:
    """A searcher over nothing but ids, written backwards as the index has them."""
    builder = SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    index = Index(builder.build())
    writer = index.writer(num_threads=1)
    for it in ids:
        document = Document()
        document.add_text("id", backwards(it))
        writer.add_document(document)
    writer.commit()
    index.reload()
    return index.searcher()


def shortest(ids: list[str], identifier: str) -> str:
    """What it should be, by trying each length."""
    for length in range(3, len(identifier)):
        ending = identifier[-length:]
        if ending[0].isalnum() and sum(it.endswith(ending) for it in ids) == 1:
            return ending
    return identifier


FEW = ["obs-a-1-17-abc", "obs-a-1-17-xbc", "abc", "s#1", "t#1"]
ALIKE = [f"{name}#{at}" for name, at in product(("one", "two", "ten", "o-e"), range(40))]
TAILS = ["short", *(f"{''.join(it)}-tail" for it in product("abcde", repeat=3))]
"""The first has a short ending, the others have a long one in common."""


@pytest.mark.parametrize("ids", [FEW, ALIKE, TAILS, FEW + ALIKE])
def test_it_is_the_shortest_that_no_other_has(ids: list[str]) -> None:
    endings = Endings(searcher_of(ids))
    for identifier in (*ids, *reversed(ids)):
        assert endings.of(identifier) == shortest(ids, identifier)


# Marks in rows, and the passage that is shown.


_WORDS = st.sampled_from(
    ["lock", "Locking", "JsonStore", "json", "café", "Cafe", "锁定", "定", "a_b", "-", "…", "\n",
     "\t"]
)  # fmt: skip
_PASSAGES = st.lists(_WORDS | st.text(max_size=6), max_size=60).flatmap(
    lambda parts: st.sampled_from([" ", ""]).map(lambda glue: glue.join(parts))
)


def _marked(text: str, query: str, near: tuple[tuple[str, str], ...] = ()) -> list[str]:
    found = marks(text, wanted(parse_query(query, NOW), near))
    return [text[start:end] for start, end in found]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("lock ", "A lock, locks and locking; not locket", ["lock", "locks", "locking"]),
        ("lock", "A lock and locket", ["lock", "locket"]),
        ("LOCK ", "lock LOCK Lock", ["lock", "LOCK", "Lock"]),
        ("cafe ", "the café", ["café"]),
        ("café ", "the CAFE", ["CAFE"]),
        ("store ", "JsonObservationStore stores", ["Store", "stores"]),
        ("observation ", "JsonObservationStore", ["Observation"]),
        ("json ", "a JsonObservationStore", ["Json"]),
        ("JsonObservationStore ", "a JsonObservationStore", ["JsonObservationStore"]),
        ("manifest.json ", "in manifest.json", ["manifest", "json"]),
        ("LOCK_TIMEOUT ", "LOCK_TIMEOUT=5", ["LOCK", "TIMEOUT"]),
        ("tp ", "HTTP, TP or myTP", ["TP", "TP"]),
        ("锁定 ", "锁定超时，锁定", ["锁定", "锁定"]),
        ("-lock file ", "lock file", ["file"]),
        ("agent:lock", "lock", []),
        ("", "lock", []),
    ],
)
def test_what_a_query_found_is_marked(query: str, text: str, marked: list[str]) -> None:
    assert _marked(text, query) == marked


@given(_PASSAGES, _PASSAGES)
def test_marks_lie_apart_inside_the_text(text: str, query: str) -> None:
    found = marks(text, wanted(parse_query(query, NOW)))
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(_PASSAGES, _PASSAGES, st.sampled_from([80, 160]))
def test_a_passage_is_around_the_first_match(text: str, query: str, length: int) -> None:
    what = wanted(parse_query(query, NOW))
    folded = " ".join(text.split())
    shown, found = passage(text, what, length)
    assert shown.removeprefix("…").removesuffix("…") in folded
    assert len(shown) <= length + 2
    assert all(0 <= start < end <= len(shown) for start, end in found)
    whole = marks(folded, what)
    assert {shown[start:end] for start, end in found} <= {folded[a:b] for a, b in whole}
    if whole and whole[0][1] - whole[0][0] < length // 2:
        assert found
        assert shown[slice(*found[0])] == folded[slice(*whole[0])]


def test_a_letter_that_grows_in_lower_case_moves_no_mark() -> None:
    assert _marked("İİİ the lock", "lock") == ["lock"]
