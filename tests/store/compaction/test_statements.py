from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.statements import (
    Telling,
    statement_lines,
    statements_by,
    supersedes,
)
from store.text.facts import facts_of, kept
from tests.store.factories import NOW


def told(*texts: str, lasting: bool = True) -> tuple[str, Telling]:
    """What is told of texts, the first of which is the newest."""
    telling = Telling(lasting)
    for age, text in enumerate(texts):
        for said in statements_by(f"obs-{age}", text, NOW - timedelta(days=age)):
            telling.tell(said)
    return statement_lines(telling.told), telling


def test_what_is_said_twice_is_said_once() -> None:
    text, telling = told("The lock waits 30 seconds.", "Locks wait 30 s.", "The lock waits 30 s.")
    assert text == "The lock waits 30 seconds."
    assert [dropped.said.by for dropped in telling.dropped] == ["obs-1", "obs-2"]


def test_only_the_statements_that_are_new_are_added() -> None:
    text, _ = told("The lock waits. Ids are random.", "Ids are random. Files are JSON.")
    assert text == "The lock waits.\nIds are random.\nFiles are JSON."


def test_the_fuller_statement_is_told() -> None:
    text, telling = told("The lock waits 30 s", "The lock of src/lock.py waits 30 s for `Gate`")
    assert text == "The lock of src/lock.py waits 30 s for `Gate`"
    assert telling.dropped[0].said.by == "obs-0"


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The lock waits 30 s", "The lock waits 5 s"),
        ("Use tabs in code", "Do not use tabs in code"),
        ("Do not use tabs in code", "Use tabs in code"),
        ("Call `open_it` at the start", "Call `close_it` at the start"),
        ("We asked Caroline about locks", "We asked Marcus about locks"),
        ("Run the tests before a release", "Run the tests after a release"),
        (
            "Do not run slow tests of this parser by default",
            "Run slow tests of this parser by default",
        ),
        (
            "Run slow tests of this parser by default",
            "Do not run slow tests of this parser by default",
        ),
        (
            "Run `make -k check` before each release of this program",
            "Run `make check` before each release of this program",
        ),
    ],
)
def test_different_statements_are_both_told(newer: str, older: str) -> None:
    assert told(newer, older)[0] == f"{newer}\n{older}"


def test_a_superseded_statement_gives_way() -> None:
    newer, older = "The lock now waits 30 s for its turn", "The lock waits 5 s for its turn"
    text, telling = told(newer, older)
    assert text == newer
    assert telling.dropped[0].superseded
    assert told(older, newer)[0] == f"{older}\n{newer}"
    assert told(newer, older, lasting=False)[0] == f"{newer}\n{older}"


@pytest.mark.parametrize(
    ("newer", "older", "expected"),
    [
        ("We now use Redis for jobs", "We use Memcached for jobs", True),
        ("We use Redis for jobs", "We use Memcached for jobs", False),
        ("We now use Redis for mail", "We use Memcached for jobs and the cache of pages", False),
        ("Now: a, b, c of jobs queue", "jobs queue 1, 2, 3", False),
        ("now", "5", False),
        ("Locks now 30 s", "Locks 5 s", False),
        ("alpha bravo charlie delta now at 9 s", "alpha bravo charlie delta echo at 5 s", True),
        ("alpha bravo charlie now at 9 s", "alpha bravo charlie delta at 5 s", False),
    ],
)
def test_what_supersedes(newer: str, older: str, expected: bool) -> None:
    assert supersedes(facts_of(newer), facts_of(older)) is expected


def test_folding_does_not_wear_a_statement_away() -> None:
    steps = [
        "one two three four five six seven eight nine ten".replace(" ", "a "),
        "onea twoa threea foura fivea sixa sevena eighta extra more",
        "onea twoa threea foura fivea sixa extra more still stuff",
    ]
    text, telling = told(*steps)
    for dropped in telling.dropped:
        assert kept(dropped.said.text, text)
