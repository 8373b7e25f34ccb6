"""Near-duplicates and undone statements give way to what is newer."""

from __future__ import annotations

from store.model import Observation
from store.recall.overlaps import giving_way
from store.recall.reasons import Verdict
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


def test_what_replaces_supersedes() -> None:
    old = observation("Sessions are kept in a SQLite database.", 1, days=9)
    new = observation(
        "Sessions are kept in plain JSON files instead of a SQLite database, for reviews.", 2
    )
    assert ways(old, new) == {old.content: Verdict.REPLACED}


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
