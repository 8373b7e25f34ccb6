"""The rules of clarifications: who may say what when, and how a conversation ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from store.clarifications import rules
from store.clarifications.model import CLOSED, Clarification, Entry, EntryType, Status
from store.clarifications.monitor import examine
from store.clarifications.records import clarification_of, clarification_record
from store.clarifications.rules import RESOLVED, Question, decision_of
from store.clarifications.scope import Scope
from store.clarifications.session_lines import TITLE, lines_for
from store.clarifications.workflows import read_workflows
from store.errors import InvalidObservation
from store.model import Problem
from tests.store.clarifications.stage import FREE, NOW, asked

AGENTS = ("product-manager", "architect", "engineer", "reviewer")
TOPICS = ("API contract", "Naming")


def test_nobody_asks_twice_while_an_answer_is_waited_for() -> None:
    it = asked()
    with pytest.raises(InvalidObservation, match="still waits"):
        asked(standing=(it,))
    with pytest.raises(InvalidObservation, match="can't ask itself"):
        asked("architect", "architect")


def test_a_ring_of_three_is_opened_at_its_downstream_end() -> None:
    ring = [
        asked(one, other, blocking=True, issue=number)
        for number, (one, other) in enumerate(
            [("architect", "reviewer"), ("reviewer", "engineer"), ("engineer", "architect")], 1
        )
    ]
    (found,) = examine(ring, FREE, NOW)
    assert found.before.asker == "reviewer" and len(found.against) == 2


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


# What a session's start says of clarifications, which come first in a list, what may follow.

LATER = NOW + timedelta(hours=1)


def _told(agent: str, *all_: Clarification, issue: int | None = 29) -> list[str]:
    lines = lines_for(agent, all_, issue, LATER)
    assert not lines or lines[0] == TITLE
    return [line.removeprefix("- ") for line in lines[1:]]


def test_each_hears_what_it_owes_and_what_became_of_its_questions() -> None:
    it = asked(body="Which  port\nis it?")
    (owed,) = _told("architect", it)
    assert owed.startswith("engineer asks you on #29: Which port is it? Answer: `memtui clarify ")
    assert f"answer {it.id} --from architect TEXT`" in owed
    assert "blocked" not in owed
    assert "engineer (blocked until you answer)" in _told("architect", asked(blocking=True))[0]
    assert _told("engineer", it) == [f"You wait for architect on {it.id}: {it.topic}"]
    assert _told("reviewer", it) == []
    answered = rules.answer(it, "architect", "8080", NOW)
    (line,) = _told("engineer", answered)
    assert line.startswith(f"architect answered {it.id} ({it.topic}): 8080 If that settles it:")
    assert _told("architect", answered) == []
    ended = rules.resolve(answered, "engineer", "", NOW)
    assert _told("engineer", ended) == [f"{it.id} was resolved: {it.topic}: 8080"]
    escalated = rules.escalate(it, "engineer", "", NOW)
    assert _told("engineer", escalated) == [f"You wait for a person on {it.id}: {it.topic}"]


def test_of_many_eight_are_told_and_long_texts_are_cut() -> None:
    many = [replace(asked(body="w" * 500), id=f"CLR-29-{number:03d}") for number in range(10)]
    lines = _told("architect", *many)
    assert len(lines) == 9
    assert lines[8] == "and 2 more: `memtui clarify`"
    assert f": {'w' * 399}… Answer" in lines[0]
    assert len(_told("architect", *many[:8])) == 8
    exact = asked(body="w" * 400)
    assert f": {'w' * 400} Answer" in _told("architect", exact)[0]


# Who may ask whom, as the workflows of a project say it.


def test_a_workflow_that_leads_out_is_named_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.toml").symlink_to("/etc/hostname")
    (tmp_path / "b.toml").write_text('[[steps]]\nagent = "engineer"\n')
    found = read_workflows(tmp_path, tmp_path)
    assert [it.path for it in found.problems] == ["workflows/a.toml"]
    assert found.order[0] == "engineer"


def test_folder_that_cant_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", listed)
    found = read_workflows(tmp_path, tmp_path)
    assert found.scopes == {}
    assert found.problems == (
        Problem("workflows", "The folder can't be listed: Permission denied."),
    )


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
def test_decision_of_a_thread(kinds: str, said: list[str], summary: str, agent: str) -> None:
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
    with pytest.raises(InvalidObservation, match="is answered"):
        decision_of(replace(asked(), status=Status.ANSWERED, thread=thread))
