"""The rules of clarifications: who may say what when, and how a conversation ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from store.clarifications import rules
from store.clarifications.model import CLOSED, Clarification, Entry, EntryType, Status
from store.clarifications.monitor import Trouble, agent_states, examine
from store.clarifications.records import clarification_of, clarification_record
from store.clarifications.rules import RESOLVED, Question, decision_of
from store.clarifications.scope import Scope
from store.errors import InvalidObservation
from tests.store.clarifications.stage import FREE, NOW, asked, rounds

AGENTS = ("product-manager", "architect", "engineer", "reviewer")
TOPICS = ("API contract", "Naming")


def test_ids_follow_the_greatest_number_that_stands() -> None:
    first = asked()
    other = asked(topic="Naming", standing=(first,))
    assert (first.id, other.id) == ("CLR-29-001", "CLR-29-002")


@pytest.mark.parametrize(("blocking", "most"), [(True, 5), (False, 6)])
def test_after_the_last_round_a_person_is_asked(blocking: bool, most: int) -> None:
    it = asked(blocking=blocking)
    for number in range(1, most):
        it = rules.answer(it, "architect", f"answer {number}", NOW)
        it = asked(standing=(it,), body=f"but {number}?")
        assert (it.round, it.status) == (number + 1, Status.PENDING)
    it = rules.answer(it, "architect", "the last", NOW)
    it = asked(standing=(it,), body="still unclear")
    assert (it.round, it.status) == (most, Status.ESCALATED)
    assert it.thread[-1].type == EntryType.ESCALATION and "still unclear" in it.thread[-1].body


@pytest.mark.parametrize(
    ("scope", "blocking", "said"),
    [
        (Scope(can_clarify=frozenset({"ux-designer"})), False, "may not ask architect"),
        (Scope(can_clarify=frozenset()), False, "may not ask architect"),
        (Scope(blocking_allowed=False), True, "may not block"),
    ],
)
def test_a_workflow_says_who_may_ask_whom(scope: Scope, blocking: bool, said: str) -> None:
    with pytest.raises(InvalidObservation, match=said):
        asked(blocking=blocking, scope=scope)


def test_a_scope_sets_rounds_and_the_time_for_an_answer() -> None:
    it = asked(scope=Scope(max_rounds=2, sla=timedelta(minutes=7)))
    assert it.max_rounds == 2 and it.stale_after == NOW + timedelta(minutes=7)


def test_only_who_was_asked_answers_and_only_who_asked_resolves() -> None:
    it = asked()
    with pytest.raises(InvalidObservation, match="Only architect can answer"):
        rules.answer(it, "reviewer", "me too", NOW)
    answered = rules.answer(it, "architect", "404", NOW)
    with pytest.raises(InvalidObservation, match="Only engineer can resolve"):
        rules.resolve(answered, "architect", "", NOW)
    resolved = rules.resolve(answered, "engineer", "", NOW)
    assert resolved.status in CLOSED and resolved.resolved_at == NOW
    with pytest.raises(InvalidObservation, match="is resolved"):
        rules.escalate(resolved, "engineer", "", NOW)


def test_what_is_escalated_is_anybodys_to_answer_and_resolve() -> None:
    it = rules.escalate(asked(), "engineer", "", NOW)
    answered = rules.answer(it, "maria", "Use 404.", NOW)
    assert rules.resolve(answered, "engineer", "", NOW).status == Status.RESOLVED
    assert rules.resolve(it, "maria", "Use 404.", NOW).status == Status.RESOLVED


def test_nobody_asks_twice_while_an_answer_is_waited_for() -> None:
    it = asked()
    with pytest.raises(InvalidObservation, match="still waits"):
        asked(standing=(it,))
    with pytest.raises(InvalidObservation, match="can't ask itself"):
        asked("architect", "architect")


def test_late_once_is_asked_again_and_late_twice_is_escalated() -> None:
    it = asked(scope=Scope(sla=timedelta(minutes=10)))
    assert examine([it], FREE, it.stale_after) == []
    late = NOW + timedelta(minutes=11)
    (found,) = examine([it], FREE, late)
    assert (found.trouble, found.after.status) == (Trouble.LATE, Status.STALE)
    assert found.after.stale_after == late + timedelta(minutes=10)
    assert [entry.body for entry in found.after.thread] == [it.thread[0].body] * 2
    assert examine([found.after], FREE, late) == []
    (again,) = examine([found.after], FREE, late + timedelta(minutes=11))
    assert (again.trouble, again.after.status) == (Trouble.LATE_AGAIN, Status.ESCALATED)


def test_answers_that_say_the_same_again_are_shown_and_escalated() -> None:
    same = "Keep the lock file beside the record, as before."
    it = rounds(3, {1: same, 2: "Use one gate for the whole store.", 3: same.upper()})
    (found,) = examine([it], FREE, NOW)
    assert found.trouble is Trouble.STUCK and found.after.status == Status.ESCALATED
    assert [entry.round for entry in found.answers] == [1, 3]
    assert found.after.thread[-1].body.count("lock file beside") == 1  # the other in capitals
    assert examine([rounds(5)], FREE, NOW) == []


def test_of_two_that_wait_for_each_other_upstream_wins() -> None:
    down = asked("engineer", "architect", blocking=True)
    up = asked("architect", "engineer", "Effort", blocking=True, standing=(down,))
    (found,) = examine([down, up], FREE, NOW)
    assert found.trouble is Trouble.DEADLOCK and found.before == down
    assert not found.after.blocking and found.after.gave_way_to == up.id
    assert examine([found.after, up], FREE, NOW) == []


def test_a_ring_of_three_is_opened_at_its_downstream_end() -> None:
    ring = [
        asked(one, other, blocking=True, issue=number)
        for number, (one, other) in enumerate(
            [("architect", "reviewer"), ("reviewer", "engineer"), ("engineer", "architect")], 1
        )
    ]
    (found,) = examine(ring, FREE, NOW)
    assert found.before.asker == "reviewer" and len(found.against) == 2


def test_agents_that_wait_and_that_owe_an_answer_have_a_state() -> None:
    blocked = asked(blocking=True)
    states = agent_states([blocked, asked("reviewer", "engineer", "Tests")])
    assert states == {"engineer": "blocked-clarification", "architect": "clarifying"}
    assert agent_states([rules.answer(blocked, "architect", "404", NOW)]) == {}


class Conversations(RuleBasedStateMachine):
    """Agents that ask, answer, settle and are late at random; whatever they do, the rules hold."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.standing: dict[str, Clarification] = {}

    def put(self, it: Clarification) -> None:
        """Keep it as a ledger would: through its record and back."""
        before = self.standing.get(it.id)
        record = clarification_record(it)
        after = clarification_of(record, it.issue)
        assert after == it and clarification_record(after) == record
        if before is not None:
            assert after.thread[: len(before.thread)] == before.thread
            assert before.status not in CLOSED and after.created == before.created
            assert 0 <= after.round - before.round <= 1
        self.standing[it.id] = after

    @rule(
        pair=st.permutations(AGENTS).map(lambda it: it[:2]),
        topic=st.sampled_from(TOPICS),
        blocking=st.booleans(),
        body=st.text(min_size=1, max_size=20),
    )
    def ask(self, pair: list[str], topic: str, blocking: bool, body: str) -> None:
        try:
            question = Question(pair[0], pair[1], topic, body, blocking)
            it = rules.ask(tuple(self.standing.values()), 29, question, Scope(), self.now)
        except InvalidObservation:
            return
        self.put(it)

    @precondition(lambda self: self.standing)
    @rule(
        which=st.integers(0, 99),
        by=st.sampled_from((*AGENTS, "maria")),
        what=st.sampled_from((rules.answer, rules.resolve, rules.escalate, rules.abandon)),
        body=st.sampled_from(("Use 404.", "Keep the lock beside it.", "No.")),
    )
    def say(self, which: int, by: str, what: object, body: str) -> None:
        it = list(self.standing.values())[which % len(self.standing)]
        try:
            after = what(it, by, body, self.now)  # type: ignore[operator]
        except InvalidObservation:
            return
        self.put(after)

    @rule(minutes=st.integers(1, 90))
    def wait_and_watch(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        for _ in range(2):  # who gave way may be late, too
            for found in examine(tuple(self.standing.values()), FREE, self.now):
                self.put(found.after)
        # What is due was done: nothing is late by now, and no two wait for each other.
        assert not examine(tuple(self.standing.values()), FREE, self.now)

    @invariant()
    def limits_hold(self) -> None:
        for it in self.standing.values():
            assert 1 <= it.round <= it.max_rounds <= 6
            questions = {entry.round for entry in it.thread if entry.type == EntryType.QUESTION}
            assert questions == set(range(1, it.round + 1))
            assert (it.resolved_at is not None) == (it.status in CLOSED)
            assert it.asker != it.asked


Conversations.TestCase.settings = settings(max_examples=3, stateful_step_count=60)
test_no_conversation_breaks_a_rule = Conversations.TestCase


@pytest.mark.parametrize(
    ("kinds", "said", "summary", "agent"),
    [
        ("QAR", ["q asked: Which?", "a answered: 404", "Resolved: Done so"], "404", "a"),
        ("QR", ["q asked: Which?", "Resolved: Done so"], "Done so", "r"),
        ("AR", ["a answered: 404", "Resolved: Done so"], "404", "a"),
        ("QA", ["q asked: Which?", "a answered: 404"], "404", "a"),
        ("QAE", ["q asked: Which?", "a answered: 404"], "404", "a"),
        ("", [], "", "architect"),
    ],
)
def test_a_decision_says_what_the_thread_has(
    kinds: str, said: list[str], summary: str, agent: str
) -> None:
    entries = {
        "Q": Entry(1, "q", EntryType.QUESTION, "Which?", NOW),
        "A": Entry(1, "a", EntryType.ANSWER, "404", NOW),
        "R": Entry(1, "r", EntryType.RESOLUTION, "Done so", NOW),
        "E": Entry(1, "r", EntryType.RESOLUTION, RESOLVED, NOW),
    }
    thread = tuple(entries[it] for it in kinds)
    found = decision_of(replace(asked(), status=Status.RESOLVED, thread=thread))
    assert found.content == "\n\n".join(["API contract", *said])
    assert found.summary == (f"API contract: {summary}" if summary else "API contract")
    assert found.agent == agent
