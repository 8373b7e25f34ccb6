"""Marks in rows, and the passage that is shown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.search.highlight import marks, passage, wanted
from store.search.query import parse_query
from tests.store.factories import NOW

_WORDS = st.sampled_from(
    ["lock", "Locking", "JsonStore", "json", "café", "Cafe", "锁定", "定", "a_b", "-", "…", "\n",
     "\t"]
)  # fmt: skip
_TEXTS = st.lists(_WORDS | st.text(max_size=6), max_size=60).flatmap(
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


@given(_TEXTS, _TEXTS)
def test_marks_lie_apart_inside_the_text(text: str, query: str) -> None:
    found = marks(text, wanted(parse_query(query, NOW)))
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(_TEXTS, _TEXTS, st.sampled_from([80, 160]))
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
