"""A query that changes or exports must be understood in full; one that is looked at need not."""

from __future__ import annotations

import pytest

from memtui.words.notices import error_in_words
from store.errors import InvalidQuery
from store.search.query import check_understood, parse_query
from tests.store.factories import NOW


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
def test_what_is_not_understood_is_refused_and_named(text: str, said: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        check_understood(parse_query(text, NOW))
    assert said in error_in_words(caught.value)


@pytest.mark.parametrize(
    ("text", "matches_everything"),
    [("", True), ("sort:newest", True), ("agent:", True), ("-x", False), ("after:7d", False)],
)
def test_a_query_without_a_filter_finds_all(text: str, matches_everything: bool) -> None:
    assert parse_query(text, NOW).matches_everything is matches_everything
