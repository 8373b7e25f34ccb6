"""What is told of a plan, as values."""

from __future__ import annotations

from store.notice import notice, notice_of, notice_record


def test_notices_that_say_the_same_are_one_in_whatever_order_their_values_came() -> None:
    one, other = notice("moved", here="a", there="b"), notice("moved", there="b", here="a")
    assert {one, other} == {one}
    assert len({one, one.at("a.md"), notice("moved", here="b", there="a")}) == 3


def test_a_notice_is_kept_without_what_is_empty() -> None:
    assert notice_record(notice("moved")) == {"kind": "moved"}
    told = notice("moved", here="a", number=2).at("a.md")
    assert notice_of(notice_record(told)) == told
