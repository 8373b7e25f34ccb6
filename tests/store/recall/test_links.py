"""How candidates hang together: one scale, messages kept as memories, amendments."""

from __future__ import annotations

import pytest

from store.recall.links import on_one_scale, with_amendments, with_captured
from store.recall.plan import plan
from store.recall.profiles import Terms, profile_named
from store.recall.reasons import Verdict
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind, Recall, limits_of
from store.text.amendment import is_amendment, sameness
from store.text.tokens import Family, counter_for
from tests.store.recall.makers import NOW, observation

OLD = "The upload limit is ten megabytes for each attachment of a ticket."
NEW = "Amended: the upload limit for each attachment of a ticket is now fifty megabytes."


def message(text: str, line: int, *, session: str = "s1", days: float = 0) -> Candidate:
    """A message of a session, somewhat relevant."""
    said = observation(text, days=days, session_id=session)
    said = said._replace(id=f"{session}#{line}", category="answer")
    return Candidate(said, {"relevance": 4.0}, Kind.MESSAGE)


def planned(*candidates: Candidate, budget: int = 1_000, task: str = "upload limit") -> Recall:
    """The recall of these candidates."""
    request = RecallRequest(task=task, budget=budget)
    limits, counter = limits_of("text", budget), counter_for(Family.CLAUDE)
    terms = Terms(profile_named(None), limits, counter, lambda it: it.id[-4:])
    return plan(candidates, request, terms, NOW)


def test_all_kinds_are_judged_on_one_scale() -> None:
    memory = Candidate(observation("A", 1), {"relevance": 20.0})
    found = on_one_scale([memory, message("B", 2), Candidate(observation("C", 3))])
    assert [it.signals.get("relevance") for it in found] == [1.0, 0.2, None]
    said = [message("B", 2), Candidate(observation("A", 1), {"relevance": 1.0, "bm25": 0.5})]
    assert [dict(it.signals) for it in on_one_scale(said)] == [
        {"relevance": 1.0},
        {"relevance": 0.25, "bm25": 1.0},
    ]


def test_a_memory_is_as_relevant_as_its_message_and_told_in_its_place() -> None:
    kept = observation("The lock waits for the manifest five times.", 1, sources=("session:s1#2",))
    found = with_captured(
        [
            Candidate(kept, {"relevance": 1.0, "bm25": 1.0}),
            message("Settled: the lock waits for the manifest five times.", 2),
            message("Five times, or as often as it takes to see the end of every writer?", 4),
        ]
    )
    assert found[0].signals["relevance"] == 4.0
    assert [it.kept_as for it in found] == ["", kept.id, ""]
    told = planned(*found, task="How often does the lock wait for the manifest?")
    assert told.text.count("waits for the manifest five times") == 1
    settled = next(it for it in told.candidates if it.observation.id == "s1#2")
    assert settled.reason.verdict is Verdict.KEPT_AS


def test_a_message_that_says_more_than_its_memory_stays() -> None:
    kept = observation("Five retries.", 1, sources=("session:s1#2",))
    said = message("Five retries, a second apart, and then an error names the lock's file.", 2)
    assert not any(it.kept_as for it in with_captured([Candidate(kept), said]))


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
    found = with_amendments(
        [message(OLD, 2, days=9), message(newer, 7, session=session, days=days)]
    )
    assert not any(it.amended_by for it in found)


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


def test_two_statements_of_one_matter_share_their_words() -> None:
    assert sameness(NEW, OLD) > 0.5
    assert sameness(NEW, "The parser reads files once.") == 0.0
    assert sameness("Yes.", "Yes.") == 0.0
