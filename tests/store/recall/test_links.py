"""How candidates hang together: one scale, messages kept as memories, amendments."""

from __future__ import annotations

import pytest

from store.recall.links import messages_of, on_one_scale, with_amendments, with_captured
from store.recall.plan import plan
from store.recall.profiles import Terms, profile_named
from store.recall.reasons import Verdict
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind, Recall, limits_of
from store.text.amendment import sameness, says_it_amends
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


def test_each_of_several_messages_that_a_memory_came_from_counts() -> None:
    kept = observation(
        "The lock waits for the manifest.", 1, sources=("session:gone#1", "tool:x", "obs-old",
        "session:s1#2", "session:s1#4"),
    )  # fmt: skip
    found = with_captured(
        [
            Candidate(kept, {"relevance": 1.0}),
            message("The lock waits for the manifest.", 2),
            message("The manifest: the lock waits.", 4)._replace(signals={"relevance": 7.0}),
            message("The lock waits for the manifest.", 6),
        ]
    )
    assert found[0].signals == {"relevance": 7.0}
    assert [it.kept_as for it in found] == ["", kept.id, kept.id, ""]
    assert messages_of(kept) == ["gone#1", "s1#2", "s1#4"]


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
    assert late.factors["doubt"] < 0
    assert late.text.startswith("(amended 28 Feb by ")


def test_a_source_that_is_named_gives_way_with_the_messages_it_came_from() -> None:
    old = observation("Tickets expire after a day.", 1, days=9, sources=("session:s1#2",))
    new = observation(
        "A week, not a day.", 2, days=1, sources=("session:s2#5", old.id), session_id="s2"
    )
    said = message("Tickets expire after a day, then the mail goes out.", 2, days=9)
    found = with_amendments([Candidate(old), said, Candidate(new)])
    assert [it.amended_by for it in found] == [new.id, new.id, ""]
    alone = with_amendments([Candidate(old), Candidate(new)])
    assert [it.amended_by for it in alone] == [new.id, ""]


def test_of_two_that_amend_a_statement_the_first_of_the_candidates_is_named() -> None:
    old = Candidate(observation("Tickets expire after a day.", 1, days=9))
    one, other = (
        Candidate(observation(f"A week {n}.", n, days=9 - n, sources=(old.observation.id, f"x{n}")))
        for n in (2, 3)
    )
    for order in ([old, one, other], [other, one, old]):
        found = {it.observation.id: it.amended_by for it in with_amendments(order)}
        named = next(it for it in order if it is not old)
        assert found[old.observation.id] == named.observation.id
    told = planned(old, one, other)
    late = next(it for it in told.candidates if it.observation.id == old.observation.id)
    assert late.factors["doubt"] < 0
    assert planned(other, old, one).candidates == told.candidates
    itself = observation("Tickets expire.", 4, sources=(observation("x", 4).id,))
    assert with_amendments([Candidate(itself)])[0].amended_by == ""


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
    assert says_it_amends(text)


@pytest.mark.parametrize("text", ["It retries.", "The longer list is sorted.", "Run it once more."])
def test_these_change_nothing(text: str) -> None:
    assert not says_it_amends(text)


def test_two_statements_of_one_matter_share_their_words() -> None:
    assert sameness(NEW, OLD) > 0.5
    assert sameness(NEW, "The parser reads files once.") == 0.0
    assert sameness("Yes.", "Yes.") == 0.0
