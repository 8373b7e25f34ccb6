from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.statements import MergedText, statements_by, supersedes
from store.text.facts import facts_of, kept
from tests.store.factories import NOW


def merged(*texts: str, lasting: bool = True) -> MergedText:
    """The texts as one; the first is the newest."""
    merged = MergedText(lasting)
    for age, text in enumerate(texts):
        merged = merged.with_all(statements_by(f"obs-{age}", text, NOW - timedelta(days=age)))
    return merged


def test_repeated_statement() -> None:
    text = merged("The lock waits 30 seconds.", "Locks wait 30 s.", "The lock waits 30 s.")
    assert text.lines() == "The lock waits 30 seconds."
    assert [left.observation_id for left in text.left_out] == ["obs-1", "obs-2"]


def test_new_statements() -> None:
    text = merged("The lock waits. Ids are random.", "Ids are random. Files are JSON.")
    assert text.lines() == "The lock waits.\nIds are random.\nFiles are JSON."


def test_fuller_statement() -> None:
    text = merged("The lock waits 30 s", "The lock of src/lock.py waits 30 s for `Gate`")
    assert text.lines() == "The lock of src/lock.py waits 30 s for `Gate`"
    assert text.left_out[0].observation_id == "obs-0"


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
def test_statements_that_never_fold(newer: str, older: str) -> None:
    assert merged(newer, older).lines() == f"{newer}\n{older}"


def test_superseded_statement() -> None:
    newer, older = "The lock now waits 30 s for its turn", "The lock waits 5 s for its turn"
    text = merged(newer, older)
    assert text.lines() == newer
    assert text.left_out[0].superseded
    assert merged(older, newer).lines() == f"{older}\n{newer}"
    assert merged(newer, older, lasting=False).lines() == f"{newer}\n{older}"


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
def test_supersedes(newer: str, older: str, expected: bool) -> None:
    assert supersedes(facts_of(newer), facts_of(older)) is expected


def test_repeated_folding_keeps_facts() -> None:
    steps = [
        "one two three four five six seven eight nine ten".replace(" ", "a "),
        "onea twoa threea foura fivea sixa sevena eighta extra more",
        "onea twoa threea foura fivea sixa extra more still stuff",
    ]
    text = merged(*steps)
    for left in text.left_out:
        assert kept(left.statement, text.lines())
