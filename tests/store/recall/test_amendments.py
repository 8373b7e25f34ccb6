"""A statement that amends an earlier one is as relevant, and told with it."""

from __future__ import annotations

import pytest

from store.recall.amendments import is_amendment, with_amendments
from store.recall.plan import plan
from store.recall.profiles import Terms, profile_named
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Recall, limits_of
from store.text.tokens import Family, counter_for
from tests.store.recall.makers import NOW, observation

OLD = (
    "The upload limit is ten megabytes for each attachment of a ticket: "
    "larger scans go to the archive by a nightly job."
)
NEW = "Amended: the upload limit for each attachment of a ticket is now fifty megabytes."


def planned(*candidates: Candidate, budget: int = 1_000, task: str = "upload limit") -> Recall:
    """The recall of these candidates."""
    request = RecallRequest(task=task, budget=budget)
    limits, counter = limits_of("text", budget), counter_for(Family.CLAUDE)
    terms = Terms(profile_named(None), limits, counter, lambda it: it.id[-4:])
    return plan(candidates, request, terms, NOW)


def test_what_amends_a_statement_is_as_relevant_and_told_with_it() -> None:
    old = Candidate(observation(OLD, 1, days=9, session_id="s1"), {"relevance": 4.0, "bm25": 4.0})
    new = Candidate(observation(NEW, 2, days=1, session_id="s2"))
    assert with_amendments([old, new])[0].amended_by == new.observation.id
    assert with_amendments([old, new])[1].signals == old.signals
    told = planned(old, new)
    assert told.candidates[0].observation == new.observation
    late = next(it for it in told.candidates if it.observation == old.observation)
    assert late.text.startswith("(amended 28 Feb by ")


@pytest.mark.parametrize(
    ("newer", "session", "days"),
    [
        (NEW, "s1", 1),
        (NEW, "s2", 30),
        ("The upload limit for each attachment of a ticket is ten megabytes.", "s2", 1),
        ("The parser no longer reads a file twice.", "s2", 1),
    ],
    ids=["same session", "older", "says nothing of a change", "another matter"],
)
def test_nothing_else_amends(newer: str, session: str, days: float) -> None:
    older = Candidate(observation(OLD, 1, days=9, session_id="s1"))
    later = Candidate(observation(newer, 2, days=days, session_id=session))
    assert not any(candidate.amended_by for candidate in with_amendments([older, later]))


@pytest.mark.parametrize(
    "text",
    ["We no longer retry.", "This supersedes keep-latest.", "Switching from rsync to git.",
     "New rule: one file a memory.", "Going forward, ask first."],
)  # fmt: skip
def test_these_say_that_they_change_something(text: str) -> None:
    assert is_amendment(text)


@pytest.mark.parametrize("text", ["It retries.", "The longer list is sorted.", "Run it once more."])
def test_these_change_nothing(text: str) -> None:
    assert not is_amendment(text)
