from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.browse.query_text import (
    Completion,
    choose,
    chosen,
    completion,
    expand_half_typed,
    filters,
    next_order,
    order_of,
    toggle,
)
from store.search.query import SORTS

KNOWN = {
    "agent": ["engineer", "architect", "reviewer", "release-engineer"],
    "category": ["decision", "key-fact"],
    "is": ["archived", "pinned"],
}


def test_filters_as_they_stand() -> None:
    found = list(filters('lock agent:engineer,tester -tag:"a b" issue: C++ a:b'))
    assert [(f.field, f.value, f.excluded) for f in found] == [
        ("agent", "engineer,tester", False),
        ("tag", '"a b"', True),
        ("issue", "", False),
    ]


def test_values_with_blanks_are_quoted() -> None:
    assert choose("", "tag", ["two words"]) == 'tag:"two words" '
    assert toggle('tag:"two words" x', "tag", "two words") == "x"
    assert choose("", "agent", ["a,b", "c"]) == 'agent:"a,b",c '
    assert chosen('agent:"a,b",c', "agent") == ("a,b", "c")
    known = {"tag": ["two words"]}
    done = completion("tag:tw", 6, known)
    assert done is not None
    assert done.accept("tag:tw", "two words") == ('tag:"two words" ', 16)
    assert expand_half_typed("tag:tw", known) == 'tag:"two words"'


@given(st.text(max_size=40), st.sampled_from(["engineer", "x-1", "two words"]))
def test_choosing_twice_is_choosing_once_and_taking_back_undoes_it(text: str, value: str) -> None:
    once = choose(text, "agent", [value])
    assert chosen(once, "agent") == (value,)
    assert choose(once, "agent", [value]) == once
    assert chosen(choose(once, "agent", []), "agent") == ()


def test_the_order_goes_round() -> None:
    text, seen = "lock", []
    assert order_of(text) == "relevance"
    for _ in SORTS:
        text = next_order(text)
        seen.append(order_of(text))
    assert sorted(seen) == sorted(SORTS)
    assert text == "sort:relevance lock"


def test_completing_a_field() -> None:
    done = completion("lock ca", 7, KNOWN)
    assert done == Completion(5, 7, "", ("category:",))
    assert done.accept("lock ca", "category:") == ("lock category:", 14)


def test_a_near_miss_is_offered() -> None:
    done = completion("agent:archtiect", 15, KNOWN)
    assert done is not None
    assert done.options[0] == "architect"


@given(st.text(max_size=60), st.integers(0, 60))
def test_completing_never_fails(text: str, cursor: int) -> None:
    done = completion(text, min(cursor, len(text)), KNOWN)
    if done is not None:
        for option in done.options:
            new, at = done.accept(text, option)
            assert option in new[:at]


def test_a_half_typed_value_stands_for_all_it_could_become() -> None:
    assert expand_half_typed("lock agent:re", KNOWN) == "lock agent:reviewer,release-engineer"
    assert expand_half_typed("agent:engineer,a", KNOWN) == "agent:engineer,architect"
    for text in ("agent:", "agent:engineer", "agent:zzz", "agent:re lock", "lock", "is:open"):
        assert expand_half_typed(text, KNOWN) == text
