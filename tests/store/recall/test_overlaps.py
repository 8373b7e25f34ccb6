"""Near-duplicates and undone statements give way to what is newer."""

from __future__ import annotations

import pytest

from store.model import Observation
from store.recall.overlaps import _undone, giving_way
from store.recall.reasons import Verdict
from store.text.facts import facts_of
from tests.store.recall.makers import observation


def ways(*observations: Observation) -> dict[str, str]:
    """Content of what gives way, and why."""
    held = {it.id: it for it in observations}
    found = giving_way(observations)
    return {held[key].content: reason for key, (reason, _) in found.items()}


def test_the_older_of_two_that_say_the_same_gives_way() -> None:
    old = observation("Chose one JSON file for each issue, not SQLite.", 1, days=9)
    new = observation("Chose one JSON file for each issue, not SQLite!", 2, days=1)
    assert ways(old, new) == {old.content: Verdict.REPEATED}
    assert giving_way([old, new])[old.id][1] is new


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2, 1)])
def test_the_newest_stands_whatever_its_id(one: int, other: int) -> None:
    old = observation("Chose one JSON file for each issue, not SQLite.", one, days=9)
    new = observation("Chose one JSON file for each issue, not SQLite!", other, days=1)
    for pair in ([old, new], [new, old]):
        assert giving_way(pair) == {old.id: (Verdict.REPEATED, new)}
    whole = observation("All details.", 3, days=20, sources=(new.id,))
    assert giving_way([old, whole, new])[new.id] == (Verdict.SUMMED_UP, whole)


@pytest.mark.parametrize(
    "text",
    [
        "The lock → waits … until the manifest — “held” — is written.",
        "Die Sperre für Änderungen → hält … bis zum Übergang.",
        "Замок держится, пока манифест не записан.",
    ],
)
def test_signs_and_letters_beyond_ascii_hide_no_repetition(text: str) -> None:
    older, newer = observation(text, 1, days=2), observation(text.replace("…", "..."), 2)
    assert giving_way([newer, older])[older.id][0] is Verdict.REPEATED


def test_what_says_more_does_not_give_way() -> None:
    old = observation(
        "Chose one JSON file for each issue in store/disk/files.py line 29.", 1, days=9
    )
    new = observation("Chose one JSON file for each issue.", 2)
    assert ways(old, new) == {}


def test_a_later_negation_contradicts() -> None:
    old = observation("The lock file is removed after each write by the daemon.", 1, days=9)
    new = observation("The lock file is not removed after each write by the daemon.", 2)
    assert ways(old, new) == {old.content: Verdict.CONTRADICTED}


def test_a_later_number_supersedes() -> None:
    old = observation("The lock timeout of the store is 30 seconds by default.", 1, days=9)
    new = observation("The lock timeout of the store is 5 seconds by default.", 2)
    assert ways(old, new) == {old.content: Verdict.SUPERSEDED}


@pytest.mark.parametrize(("before", "after"), [("30 seconds", "short"), ("short", "30 seconds")])
def test_a_number_supersedes_no_word(before: str, after: str) -> None:
    old = observation(f"The lock timeout of the store is {before} by default.", 1, days=9)
    new = observation(f"The lock timeout of the store is {after} by default.", 2)
    assert ways(old, new) == {}


def test_a_figure_that_changed_often_numbers_a_series() -> None:
    changes = [
        observation(f"The lock timeout of the store is {30 - n} seconds.", n, days=9 - n)
        for n in range(9)
    ]
    assert set(ways(*changes[:4]).values()) == {Verdict.SUPERSEDED}
    assert ways(*changes) == {}


def test_what_replaces_supersedes() -> None:
    old = observation("Sessions are kept in a SQLite database.", 1, days=9)
    new = observation(
        "Sessions are kept in plain JSON files instead of a SQLite database, for reviews.", 2
    )
    assert ways(old, new) == {old.content: Verdict.REPLACED}


@pytest.mark.parametrize(("said", "replaced"), [
    ("We dropped the queue of redis for mails of orders.", True),
    ("We dropped the queue of redis for mails.", False),
    ("The queue of redis for mails of orders.", False),
])  # fmt: skip
def test_only_what_speaks_of_most_of_an_earlier_statement_replaces_it(
    said: str, replaced: bool
) -> None:
    old = facts_of("We use the queue of redis for the mails of orders.")
    assert _undone(old, facts_of(said), observation(said)) == (
        Verdict.REPLACED if replaced else None
    )


def test_events_and_other_issues_contradict_nothing() -> None:
    old = observation("Removed 3 files from the cache folder.", 1, days=9, category="code-change")
    new = observation("Removed 5 files from the cache folder.", 2, category="code-change")
    assert ways(old, new) == {}
    one = observation("The timeout of the lock is 30 seconds.", 1, days=9, issue_number=1)
    other = observation("The timeout of the lock is 5 seconds.", 2, issue_number=2)
    assert ways(one, other) == {}


def test_what_was_summed_up_gives_way_to_the_summary() -> None:
    part = observation("A detail of no further interest.", 1, days=9)
    whole = observation("All details.", 2, sources=(part.id,), category="compaction-summary")
    assert ways(part, whole) == {part.content: Verdict.SUMMED_UP}


def test_what_was_summed_up_twice_gives_way_to_the_newer_summary() -> None:
    """The older one gives way itself: an id that leads to it leads to nothing that is told."""
    part = observation("A detail of no further interest.", 1, days=9)
    more = observation("Another detail.", 2, days=8)
    first = observation("Some details.", 3, days=5, sources=(part.id,))
    last = observation("All details.", 4, sources=(more.id, part.id, first.id))
    for order in ([part, more, first, last], [last, first, more, part], [first, part, last, more]):
        assert giving_way(order) == {it.id: (Verdict.SUMMED_UP, last) for it in (part, more, first)}


@pytest.mark.parametrize("length", [2, 3, 4])
def test_of_those_that_name_each_other_in_a_ring_the_newest_stands(length: int) -> None:
    subjects = ("Leases end at night.", "Prices are cents.", "Tills close late.", "Rows sort.")
    ids = [observation("", 1 + at).id for at in range(length)]
    led = observation("What the newest was made from.", 9, days=20)
    newest, *older = (
        observation(
            subjects[at],
            1 + at,
            days=at,
            sources=(ids[(at + 1) % length], *([] if at else [led.id])),
        )
        for at in range(length)
    )
    for order in ([newest, *older, led], [led, *reversed(older), newest]):
        assert set(giving_way(order)) == {it.id for it in (*older, led)}


def test_nothing_overlaps_with_nothing() -> None:
    assert giving_way([]) == {}
    assert ways(observation("…", 1), observation("!!!", 2)) == {}
