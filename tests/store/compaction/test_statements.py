from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.statements import (
    Said,
    Telling,
    said_by,
    supersedes,
    tell_lines,
)
from store.text.facts import facts_of, kept
from tests.store.factories import NOW


def told(*texts: str, lasting: bool = True) -> tuple[str, Telling]:
    """What is told of texts, the first of which is the newest."""
    telling = Telling(lasting)
    for age, text in enumerate(texts):
        for said in said_by(f"obs-{age}", text, NOW - timedelta(days=age)):
            telling.tell(said)
    return tell_lines(telling.told), telling


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


def test_what_others_add_is_told_where_it_was_said() -> None:
    said = (
        "The lock waits for its turn (see src/lock.py).",
        "The lock waits for its turn (see src/gate.py).",
        "The lock waits for its turn on 2026-02-27.",
    )
    text, _ = told(*said)
    assert text == "\n".join(said)


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


@pytest.mark.parametrize(("hours", "lines"), [(-1, 2), (0, 2), (1, 1)])
def test_only_what_is_said_later_takes_the_place_of_a_statement(hours: int, lines: int) -> None:
    telling = Telling(lasting=True)
    telling.tell(Said("The lock now waits 30 s for its turn", "obs-1", NOW))
    telling.tell(Said("The lock waits 5 s for its turn", "obs-2", NOW - timedelta(hours=hours)))
    assert len(telling.told) == lines
    assert [it.instead.by for it in telling.dropped] == ["obs-1"] * (2 - lines)


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


def test_a_copy_goes_on_without_changing_what_it_was_made_of() -> None:
    telling = Telling(lasting=True, share=0.9)
    telling.tell(Said("The lock waits 30 s for its turn", "obs-1", NOW))
    telling.tell(Said("The lock waits 30 s for its turn.", "obs-2", NOW))
    before = [*telling.told], [*telling.dropped]
    other = telling.copy()
    assert (other.lasting, other.share, other.told, other.dropped) == (True, 0.9, *before)
    other.tell(Said("The lock waits 30 s for its turn", "obs-3", NOW))
    other.tell(Said("Ids are random", "obs-3", NOW))
    assert (telling.told, telling.dropped) == before
    assert (len(other.told), len(other.dropped)) == (2, 2)


def test_labels_introduce_a_run_of_statements() -> None:
    telling = Telling(lasting=False)
    for text, label in (("It broke", ""), ("Mended it", "Fix: "), ("Tested all", "Fix: ")):
        telling.tell(Said(text, "obs-1", NOW, label))
    assert tell_lines(telling.told) == "It broke\nFix: Mended it\nTested all"


def test_folding_does_not_wear_a_statement_away() -> None:
    steps = [
        "one two three four five six seven eight nine ten".replace(" ", "a "),
        "onea twoa threea foura fivea sixa sevena eighta extra more",
        "onea twoa threea foura fivea sixa extra more still stuff",
    ]
    text, telling = told(*steps)
    for dropped in telling.dropped:
        assert kept(dropped.said.text, text)


def test_statements_of_few_words_fold_only_in_the_same_words() -> None:
    assert told("Did you see the band?", "What is the band?")[0].count("\n") == 1
    assert told("Ids are random", "ids are random!")[0] == "Ids are random"


def test_where_every_word_counts_only_the_very_same_folds() -> None:
    same = "alpha bravo charlie delta"
    texts = (f"{same} echo", f"{same} foxtrot", same)
    telling = Telling(lasting=False, share=1.0)
    for text in texts:
        telling.tell(Said(text, "obs-1", NOW))
    assert tell_lines(telling.told) == "\n".join(texts[:2])


def test_marks_that_an_earlier_merge_noted_stay() -> None:
    text, _ = told("The lock waits 30 s (also 2026-01-02, s9).", "The lock waits 30 s.")
    assert text == "The lock waits 30 s (also 2026-01-02, s9)."


ONE = "alpha bravo charlie delta echo foxtrot golf hotel india juliet"
TWO, THREE, FOUR = (
    "kilo lima mike november",
    "oscar papa quebec romeo",
    "sierra tango uniform victor",
)


def _words(many: int, *more: str) -> str:
    return " ".join((*ONE.split()[:many], *more))


@pytest.mark.parametrize(
    "texts",
    [
        (ONE, _words(8, TWO), _words(6, TWO, THREE)),
        (ONE, _words(9, TWO), _words(8, TWO, THREE), _words(7, TWO, THREE, FOUR, "whiskey")),
    ],
)
def test_what_takes_in_another_keeps_all_that_this_one_took_in(texts: tuple[str, ...]) -> None:
    """Each says four fifths of the one before; the last says less of the first."""
    text, telling = told(*texts)
    assert text == "\n".join(texts[-2:])
    assert [it.said.text for it in telling.dropped] == list(texts[:-2])
