"""What is told of a plan, as values."""

from __future__ import annotations

import pytest

from store.notice import Notice, notice, notice_of


def test_notices_that_say_the_same_are_one_in_whatever_order_their_values_came() -> None:
    one, other = notice("moved", here="a", there="b"), notice("moved", there="b", here="a")
    assert {one, other} == {one}
    assert len({one, one.at("a.md"), notice("moved", here="b", there="a")}) == 3


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
