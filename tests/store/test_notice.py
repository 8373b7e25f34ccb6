"""What is told of a plan, as values."""

from __future__ import annotations

import pytest

from store.notice import Notice, notice, notice_of, notice_record, quoted


def test_notices_that_say_the_same_are_one_in_whatever_order_their_values_came() -> None:
    one, other = notice("moved", here="a", there="b"), notice("moved", there="b", here="a")
    assert {one, other} == {one}
    assert len({one, one.at("a.md"), notice("moved", here="b", there="a")}) == 3


def test_a_notice_is_told_of_the_place_named_last() -> None:
    told = notice("moved", here="a").at("a.md, line 1").at("b.md")
    assert (told.kind, told.values, told.place) == ("moved", {"here": "a"}, "b.md")
    assert quoted("As it was").at("c") == Notice("quoted", {"text": "As it was"}, "c")


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("A sentence", Notice("quoted", {"text": "A sentence"})),
        (7, Notice("quoted", {"text": "7"})),
        ({}, Notice("")),
        (
            {"kind": "moved", "values": {"a": 1, "b": "x", "c": [1], "d": None, "e": 1.5}},
            Notice("moved", {"a": 1, "b": "x"}),
        ),
        ({"kind": "moved", "values": [1], "place": 7}, Notice("moved", {}, "7")),
    ],
)
def test_what_was_kept_is_a_notice_whoever_wrote_it(kept: object, told: Notice) -> None:
    assert notice_of(kept) == told


def test_a_notice_is_kept_without_what_is_empty() -> None:
    assert notice_record(notice("moved")) == {"kind": "moved"}
    told = notice("moved", here="a", number=2).at("a.md")
    assert notice_of(notice_record(told)) == told
