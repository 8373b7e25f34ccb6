from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.tui.browse.query_text import (
    Completion,
    as_meant,
    choose,
    chosen,
    completion,
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


def test_chosen_values_have_no_quotes_and_no_repeats() -> None:
    assert chosen('tag:"a b",c tag:c -tag:d', "tag") == ("a b", "c")


def test_a_new_filter_goes_in_front_of_what_is_typed() -> None:
    assert choose("lock tim", "agent", ["engineer"]) == "agent:engineer lock tim"


def test_a_filter_that_is_there_changes_in_place() -> None:
    assert choose("a agent:x b", "agent", ["y", "z"]) == "a agent:y,z b"
    assert choose("agent:x a agent:y b", "agent", ["z"]) == "agent:z a b"


def test_a_filter_goes_and_leaves_the_rest() -> None:
    assert choose("a agent:x b ", "agent", []) == "a b "
    assert choose("agent:x", "agent", []) == ""
    assert choose("-agent:x a", "agent", []) == "-agent:x a"


def test_a_last_filter_is_followed_by_a_blank() -> None:
    assert choose("", "agent", ["x"]) == "agent:x "


def test_values_with_blanks_are_quoted() -> None:
    assert choose("", "tag", ["two words"]) == 'tag:"two words" '
    assert toggle('tag:"two words" x', "tag", "two words") == "x"
    assert choose("", "agent", ["a,b", "c"]) == 'agent:"a,b",c '
    assert chosen('agent:"a,b",c', "agent") == ("a,b", "c")
    known = {"tag": ["two words"]}
    done = completion("tag:tw", 6, known)
    assert done is not None
    assert done.accept("tag:tw", "two words") == ('tag:"two words" ', 16)
    assert as_meant("tag:tw", known) == 'tag:"two words"'


@given(st.text(max_size=40), st.sampled_from(["engineer", "x-1", "two words"]))
@settings(max_examples=100, deadline=None)
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


def test_completing_a_value() -> None:
    text = "agent:re lock"
    done = completion(text, 8, KNOWN)
    assert done == Completion(6, 8, "agent", ("reviewer", "release-engineer"))
    assert done.accept(text, "reviewer") == ("agent:reviewer lock", 14)


def test_completing_one_value_of_several() -> None:
    text = "agent:engineer,a,reviewer"
    done = completion(text, 16, KNOWN)
    assert done == Completion(15, 16, "agent", ("architect",))
    assert done.accept(text, "architect") == ("agent:engineer,architect,reviewer", 24)


def test_a_near_miss_is_offered() -> None:
    done = completion("agent:archtiect", 15, KNOWN)
    assert done is not None
    assert done.options[0] == "architect"


def test_nothing_is_offered_where_nothing_is_missing() -> None:
    for text in ("", "lock", "a", "agent:engineer", "before:2026", "agent:engineer ", "nosuch:x"):
        assert completion(text, len(text), KNOWN) is None, text


def test_all_values_are_offered_before_the_first_letter() -> None:
    done = completion("is:", 3, KNOWN)
    assert done is not None
    assert done.options == ("archived", "pinned")


@given(st.text(max_size=60), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_completing_never_fails(text: str, cursor: int) -> None:
    done = completion(text, min(cursor, len(text)), KNOWN)
    if done is not None:
        for option in done.options:
            new, at = done.accept(text, option)
            assert option in new[:at]


def test_a_half_typed_value_stands_for_all_it_could_become() -> None:
    assert as_meant("lock agent:re", KNOWN) == "lock agent:reviewer,release-engineer"
    assert as_meant("agent:engineer,a", KNOWN) == "agent:engineer,architect"
    for text in ("agent:", "agent:engineer", "agent:zzz", "agent:re lock", "lock", "is:open"):
        assert as_meant(text, KNOWN) == text
