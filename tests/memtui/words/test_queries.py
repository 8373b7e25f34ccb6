"""What was understood of a query, said in words."""

from __future__ import annotations

import pytest

from memtui.words.queries import in_words, understood
from store.model import Facets, SearchResult
from store.notice import notice
from store.search.query import parse_query
from tests.store.factories import NOW


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "everything · newest first"),
        ("(", "everything · newest first"),
        ("lock tim", "lock + tim…"),
        ("x" * 60, "x" * 39 + "…"),
        ('"a b" -c agent:x,y', '"a b" + not c · agent x or y'),
        ("-agent:x sort:oldest", "not agent x · oldest first"),
        (
            "is:open after:2026-01 before:2026-02-03",
            "open · from 2026-01-01 · before 2026-02-03 · newest first",
        ),
        ("-is:muted sort:tokens", "not muted · by tokens"),
        ("lock in:all", "lock · in memories and sessions"),
    ],
)
def test_what_was_understood_is_said(text: str, words: str) -> None:
    assert in_words(parse_query(text, NOW)) == words


def test_what_was_not_understood_follows() -> None:
    notes = (notice("name-misspelt", field="tag", name="dsk", meant="disk"),)
    found = SearchResult("tag:dsk", 0, (), Facets(), notes)
    assert understood(found, NOW) == "tag dsk · newest first · no tag `dsk`; did you mean `disk`?"
