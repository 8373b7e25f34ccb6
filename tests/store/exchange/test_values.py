"""Ids for what has none, and problems of which too many are only counted."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from store.exchange.values import DerivedIds, Problems, plain_json
from store.model import UNDATED
from store.notice import notice

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


def test_a_name_without_letters_and_a_long_one() -> None:
    assert DerivedIds("…").make(DAY, "x").startswith("obs-import-")
    assert DerivedIds("b" * 30).make(DAY, "x").startswith(f"obs-{'b' * 20}-2")


def test_beyond_the_most_problems_are_counted() -> None:
    problems = Problems()
    for number in range(Problems.MOST):
        problems.append(notice("no-title").at(f"line {number}"))
    assert len(problems.told()) == Problems.MOST == 1_000
    problems.append(notice("no-title"))
    problems.append(notice("no-title"))
    *told, more = problems.told()
    assert len(told) == Problems.MOST
    assert more == notice("more-problems", problems=2)


def test_json_on_one_line_acts_on_no_terminal() -> None:
    assert plain_json({"a": "ü"}) == '{"a": "ü"}'
    assert plain_json("a\u202eb\x7f\ud800") == r'"a\u202eb\u007f\ud800"'


def test_as_many_problems_as_are_told_are_told_and_of_the_others_how_many() -> None:
    problems = Problems()
    for number in range(Problems.MOST):
        problems.append(notice("skipped", text=str(number)))
    assert [it.kind for it in problems.told()] == ["skipped"] * Problems.MOST
    problems.append(notice("skipped", text="one"))
    problems.append(notice("skipped", text="two"))
    assert problems.told()[Problems.MOST :] == (notice("more-problems", problems=2),)


def test_what_says_the_same_at_one_time_has_ids_of_its_own_in_each_run() -> None:
    ids, again = DerivedIds("notes"), DerivedIds("notes")
    made = [ids.make(DAY, text) for text in ("x", "x", "y", "x")]
    assert len(set(made)) == 4
    # What was imported before must keep the id that it has in people's memories.
    assert made[1] == "obs-notes-20260301-p4fy2ezu0dqn"
    assert [again.make(DAY, text) for text in ("x", "y", "x", "x")] == [
        made[at] for at in (0, 2, 1, 3)
    ]
