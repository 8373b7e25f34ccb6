"""What makes a change a memory of its own, a finding one, and what begins beside the point."""

from __future__ import annotations

import pytest

from store.capture.text.worth import is_found_out, tells_looks, to_the_point, worth_of

_LEAD = "`take()` of the till was called twice, so that coins were counted twice by the clerk."


@pytest.mark.parametrize(
    ("lead", "done", "points"),
    [
        (_LEAD, "", 0),
        (_LEAD, "`take()` locks now.", 1),
        (_LEAD, "It locks now.", 0),
        (f"The problem: {_LEAD}", "`take()` locks now.", 2),
        (f"Root cause: {_LEAD}", "", 1),
        ("The till is open because `take()` waits.", "", 1),
    ],
)
def test_a_change_tells_more_by_what_it_names(lead: str, done: str, points: int) -> None:
    assert worth_of(lead, done, ["till.py"], is_planned=False, are_several=False) == points
    assert worth_of(lead, done, ["till.py"], is_planned=True, are_several=False) == points + 1
    assert worth_of(lead, done, ["till.py"], is_planned=False, are_several=True) == points - 1


def test_only_who_planned_it_may_name_nothing() -> None:
    for lead, points in (
        ("Coins count twice.", -2),
        (f"Coins count twice{' and again' * 12}.", -1),
    ):
        assert worth_of(lead, "", ["a.py"], is_planned=False, are_several=False) == points
        assert worth_of(lead, "", ["a.py"], is_planned=True, are_several=False) == 1


@pytest.mark.parametrize(
    ("files", "points"),
    [
        (["till.py", "docs/till.md"], 0),
        (["docs/till.md", "README.RST"], -2),
        (["tests/test_till.py"], -2),
        (["till.css", "till.TSX"], -1),
        (["till.css", "till.py"], 0),
    ],
)
def test_texts_tests_and_looks_tell_themselves(files: list[str], points: int) -> None:
    assert worth_of(_LEAD, "", files, is_planned=False, are_several=False) == points


def test_why_a_test_failed_is_told_all_the_same() -> None:
    lead = f"Root cause: {_LEAD}"
    assert worth_of(lead, "", ["tests/test_till.py"], is_planned=False, are_several=False) == 1


@pytest.mark.parametrize(
    ("found", "is_told"),
    [
        ("`take()` never waits for the clerk.", True),
        ("Take a lock in each till, or one for all of them.", False),
        ("the clerk waits`) instead of the till, which never does.", False),
        ("`shop`) never waits for the clerk.", False),
        ("`a()` fails; `b()` calls `c()`; `c()` waits.", False),
        ("The issue: `a()` fails; `b()` calls `c()`; `c()` waits.", True),
    ],
)
def test_a_finding_says_in_sentences_what_is_wrong(found: str, is_told: bool) -> None:
    assert is_found_out(found) is is_told


@pytest.mark.parametrize(
    "aside",
    [
        "Even if the clerk came at nine, the till would be closed.",
        "Out of scope: the other till.",
        "Worth writing down because it looks odd.",
        "No, the clerk is right.",
        "Low: the clerk may wait.",
        "This warning is drawn in red now.",
        "The issue is clear.",
        "The tests of the till still fail.",
        "The till therefore failed at night.",
    ],
)
def test_what_begins_beside_the_point_is_left_out(aside: str) -> None:
    assert to_the_point([aside, _LEAD]) == [_LEAD]


@pytest.mark.parametrize(
    "lead", ["Here's the summary: ", "Summary: ", "Why this works: ", "Note: "]
)
def test_what_leads_to_the_point_is_cut(lead: str) -> None:
    assert to_the_point([f"{lead}{_LEAD}"]) == [_LEAD]


@pytest.mark.parametrize(
    ("told", "is_look"),
    [
        ("The color of the icon and its border", True),
        ("The color, the colors and the color of the till", False),
        ("The tab, the grid and the card of the till", False),
        ("The tab and the grid have a color", True),
        ("The icon has a border", False),
    ],
)
def test_three_words_for_how_a_page_looks_are_about_that(told: str, is_look: bool) -> None:
    assert tells_looks(told) is is_look


def test_of_looks_are_changes_of_nothing_but_pages_or_that_say_so() -> None:
    for files, points in ((["a.css"], -1), (["a.css", "b.vue"], -1), (["b.py", "a.css"], 0)):
        assert worth_of(_LEAD, "", files, is_planned=False, are_several=False) == points
    lead = f"{_LEAD} The color of the icon and its border were lost."
    assert worth_of(lead, "", ["a.py"], is_planned=False, are_several=False) == -1
