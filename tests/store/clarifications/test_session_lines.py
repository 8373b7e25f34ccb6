"""What a session's start says of clarifications, which come first in a list, what may follow."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from store.clarifications import rules
from store.clarifications.model import Clarification, Ledgers
from store.clarifications.prepare import clean
from store.clarifications.session_lines import TITLE, lines_for
from tests.store.clarifications.stage import NOW, asked
from tests.store.exchange.keys import made_up_key

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
