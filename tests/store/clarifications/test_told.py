"""What a session's start says of clarifications, which come first in a list, what may follow."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from store.clarifications import rules
from store.clarifications.decision import decision_of
from store.clarifications.model import Clarification, EntryType, Ledgers, Status
from store.clarifications.prepare import clean
from store.clarifications.scope import Scope
from store.clarifications.told import TITLE, told_to
from store.errors import InvalidObservation
from tests.store.clarifications.stage import NOW, asked
from tests.store.exchange.keys import made_up_key

LATER = NOW + timedelta(hours=1)


def _told(agent: str, *all_: Clarification, issue: int | None = 29) -> list[str]:
    lines = told_to(agent, all_, issue, LATER)
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


def test_what_it_asked_elsewhere_is_not_told_and_what_it_owes_is() -> None:
    it = asked()
    assert _told("engineer", it, issue=30) == []
    assert _told("engineer", it, issue=None)
    assert _told("architect", it, issue=30)


def test_what_ended_a_week_ago_is_told_no_more() -> None:
    ended = rules.abandon(asked(), "engineer", "", NOW)
    assert told_to("engineer", [ended], 29, NOW + timedelta(days=7) - timedelta(seconds=1))
    assert told_to("engineer", [ended], 29, NOW + timedelta(days=7)) == ()
    assert _told("engineer", ended) == [f"{ended.id} was abandoned: {ended.topic}: Abandoned."]


def test_of_many_eight_are_told_and_long_texts_are_cut() -> None:
    many = [replace(asked(body="w" * 500), id=f"CLR-29-{number:03d}") for number in range(10)]
    lines = _told("architect", *many)
    assert len(lines) == 9
    assert lines[8] == "and 2 more: `memtui clarify`"
    assert f": {'w' * 399}… Answer" in lines[0]
    assert len(_told("architect", *many[:8])) == 8
    exact = asked(body="w" * 400)
    assert f": {'w' * 400} Answer" in _told("architect", exact)[0]


def test_what_waits_longest_comes_first_and_the_settled_last() -> None:
    def at(name: str, hours: int) -> Clarification:
        when = NOW + timedelta(hours=hours)
        it = asked(topic=name)
        thread = tuple(entry._replace(timestamp=when) for entry in it.thread)
        return replace(it, created=when, thread=thread)

    escalated = rules.escalate(at("person", 3), "engineer", "", NOW + timedelta(hours=3))
    answered = rules.answer(at("answered", 0), "architect", "So.", NOW)
    ended = [
        replace(rules.abandon(at(name, hours), "engineer", "", NOW + timedelta(hours=hours)))
        for name, hours in (("old", 1), ("new", 2))
    ]
    found = Ledgers((*ended, answered, at("late", 2), at("early", 1), escalated)).open_first
    assert [it.topic for it in found] == ["person", "early", "late", "answered", "new", "old"]


def test_since_when_one_stands_as_it_does() -> None:
    it = asked()
    again = rules.ask_again(it, LATER)
    assert (again.status, again.since, again.updated) == (Status.STALE, it.created, LATER)
    assert again.stale_after - LATER == it.stale_after - it.created
    answered = rules.answer(again, "architect", "So.", LATER)
    assert answered.since == LATER
    short = replace(it, stale_after=it.created)
    assert rules.ask_again(short, LATER).stale_after == LATER + timedelta(minutes=1)
    assert it.last(EntryType.ANSWER) is None
    last = answered.last(EntryType.QUESTION)
    assert last is not None
    assert last.timestamp == LATER


def test_where_no_question_stands_it_is_told_and_asked_by_its_topic() -> None:
    bare = replace(asked(), thread=())
    assert f"asks you on #29: {bare.topic} Answer:" in _told("architect", bare)[0]
    again = rules.ask_again(bare, LATER)
    assert (again.question, again.stale_after - LATER) == (bare.topic, bare.stale_after - NOW)
    assert _told("engineer", replace(bare, status=Status.ANSWERED)) == []
    ended = replace(rules.abandon(bare, "engineer", "", NOW), thread=())
    assert _told("engineer", ended) == [f"{ended.id} was abandoned: {ended.topic}"]


def test_what_is_settled_takes_no_more() -> None:
    ended = rules.abandon(asked(), "engineer", "", NOW)
    assert ended.resolved_at == NOW
    for say in (rules.escalate, rules.abandon, rules.answer, rules.resolve):
        with pytest.raises(InvalidObservation, match=ended.id):
            say(ended, "engineer", "x", NOW)
    escalated = rules.escalate(asked(), "engineer", "", NOW)
    assert escalated.thread[-1].body == "Put to a person."
    with pytest.raises(InvalidObservation, match="already escalated"):
        rules.escalate(escalated, "engineer", "", NOW)
    assert rules.abandon(escalated, "reviewer", "", NOW).status == Status.ABANDONED
    with pytest.raises(InvalidObservation, match="Only engineer can abandon"):
        rules.abandon(asked(), "architect", "", NOW)
    with pytest.raises(InvalidObservation, match="escalated and waits for a person"):
        asked(standing=(escalated,))


def test_one_that_gave_way_blocks_no_more_and_one_is_named_by_its_id() -> None:
    one, other = asked(blocking=True), replace(asked(topic="Naming"), id="CLR-29-007")
    gave = rules.give_way(one, other)
    assert (gave.blocking, gave.is_blocking, gave.gave_way_to) == (False, False, "CLR-29-007")
    assert rules.named([one, other], "CLR-29-007") is other
    with pytest.raises(InvalidObservation, match="No clarification CLR-29-009"):
        rules.named([one, other], "CLR-29-009")


def test_ids_go_on_after_the_greatest_and_come_to_an_end() -> None:
    def next_id(*ids: str) -> str:
        standing = [replace(asked(topic=it), id=it) for it in ids]
        return asked(topic="New", standing=tuple(standing)).id

    assert next_id("CLR-29-041", "CLR-29-x", "CLR-30-099", "CLR-29-123456789") == "CLR-29-042"
    assert next_id("CLR-29-9998") == "CLR-29-9999"
    with pytest.raises(InvalidObservation, match="has 9,999 clarifications"):
        next_id("CLR-29-9999")


def test_no_name_in_a_record_that_another_program_wrote_tells_a_secret() -> None:
    secret = made_up_key()
    it = replace(asked(), asker=f"one {secret}", asked=f"other {secret}", topic=secret)
    shown = clean(it)
    assert secret not in repr(shown)
    entries = [it.thread[0]._replace(by=f"by {at} {secret}") for at in range(2)]
    others = clean(replace(it, thread=(*it.thread, *entries))).thread
    assert [entry.by[:4] for entry in others] == ["engi", "by 0", "by 1"]
    assert secret not in repr(others)
    assert clean(replace(it, record={"note": secret})).record == {}
    assert (shown.asker[:4], shown.asked[:6]) == ("one ", "other ")


def test_asked_again_in_a_later_round_it_has_as_long_as_in_that_round() -> None:
    first = asked(blocking=True, scope=Scope(sla=timedelta(minutes=40)))
    answered = rules.answer(first, "architect", "So.", NOW + timedelta(minutes=90))
    second = asked(standing=(answered,), body="And then?", now=NOW + timedelta(hours=3))
    assert (second.round, second.stale_after - NOW) == (2, timedelta(hours=3, minutes=30))
    late = NOW + timedelta(hours=4)
    again = rules.ask_again(second, late)
    assert again.stale_after == late + timedelta(minutes=30)
    assert (again.question, again.round, again.status) == ("And then?", 2, Status.STALE)
    assert again.since == NOW + timedelta(hours=3)
    assert [it.round for it in again.thread] == [1, 1, 2, 2]
    third = rules.ask_again(again, late + timedelta(hours=1))
    assert third.stale_after == late + timedelta(hours=1, minutes=30)


def test_of_several_questions_and_answers_the_last_are_told_and_remembered() -> None:
    it = asked(body="First?")
    it = rules.answer(it, "architect", "One.", NOW)
    it = rules.answer(asked(standing=(it,), body="Second?"), "architect", "Two.", LATER)
    assert it.question == "Second?"
    (line,) = _told("engineer", it)
    assert f"({it.topic}): Two. If" in line
    ended = rules.resolve(it, "engineer", "Two it is.", LATER)
    assert _told("engineer", ended) == [f"{it.id} was resolved: {it.topic}: Two."]
    made = decision_of(ended)
    assert (made.agent, made.summary, made.timestamp) == ("architect", f"{it.topic}: Two.", LATER)
    assert made.content.split("\n\n") == [
        it.topic,
        "engineer asked: Second?",
        "architect answered: Two.",
        "Resolved: Two it is.",
    ]
    unanswered = rules.escalate(asked(), "engineer", "", NOW)
    alone = decision_of(rules.resolve(unanswered, "owner", "Do it so.", LATER))
    assert (alone.agent, alone.summary) == ("owner", f"{it.topic}: Do it so.")
    bare = decision_of(replace(ended, thread=()))
    assert (bare.agent, bare.content, bare.summary) == ("architect", it.topic, it.topic)
