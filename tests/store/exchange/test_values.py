"""Ids for what has none, and problems of which too many are only counted."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from store.exchange.values import DerivedIds
from store.model import UNDATED

DAY = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_the_same_source_day_and_text_give_the_same_id() -> None:
    one = DerivedIds("/home/me/Dev Notes.old.md").make(DAY, "text")
    assert re.fullmatch(r"obs-devnotes-20260301-[0-9a-z]{12}", one)
    assert DerivedIds("/home/me/Dev Notes.old.md").make(DAY, "text") == one
    others = [
        DerivedIds("/home/you/Dev Notes.old.md").make(DAY, "text"),
        DerivedIds("/home/me/Dev Notes.old.md").make(DAY.replace(hour=13), "text"),
        DerivedIds("/home/me/Dev Notes.old.md").make(DAY, "other"),
        DerivedIds("/home/me/Dev Notes.old.md").make(UNDATED, "text"),
    ]
    assert len({one, *others}) == 5
    assert others[3].startswith("obs-devnotes-undated-")


def test_what_stands_twice_gets_two_ids_in_the_same_order_each_time() -> None:
    first, again = DerivedIds("a.md"), DerivedIds("a.md")
    made = [first.make(DAY, "text") for _ in range(3)]
    assert len(set(made)) == 3
    assert [again.make(DAY, "text") for _ in range(3)] == made
