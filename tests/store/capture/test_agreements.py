"""Advice of an agent that a person takes, and points that they answer by number."""

from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_ADVICE = (
    "Two ways are possible. `round()` could be called for each line. I'd go with summing cents"
    " first, since banks round the sum and never its lines. Want me to write that down?"
)
_POINTS = (
    "Three points are open:\n\n1. **Rounding of lines**: each line, or the sum?\n"
    "2. **Locking of tills**: a file lock is not portable.\n3. **Receipts**: keep them?\n\n"
    "Which of these are settled?"
)


def _decisions(*said: str) -> list[str]:
    made = ClaudeCode().user("How should the till round its totals?")
    for at, each in enumerate(said):
        made = made.user(each) if at % 2 else made.agent(each)
    return contents(made.plan(), Category.DECISION)


@pytest.mark.parametrize("yes", ["yes", "Yeah, let's do that.", "sounds good - go ahead"])
def test_advice_that_is_taken_is_a_decision(yes: str) -> None:
    assert _decisions(_ADVICE, yes) == [
        "Agreed: I'd go with summing cents first, since banks round the sum and never its lines.\n"
        "On: How should the till round its totals?"
    ]


@pytest.mark.parametrize(
    "said", ["yes, but round each line", "no", "hm, are banks doing that?", "sounds good?"]
)
def test_advice_that_is_doubted_is_none(said: str) -> None:
    assert not any("Agreed" in each for each in _decisions(_ADVICE, said))


def test_a_yes_to_an_offer_without_advice_settles_nothing() -> None:
    assert _decisions("`till.py` has two tests. Want me to run the tests?", "yes") == []


def test_a_yes_to_a_look_at_a_fault_settles_nothing() -> None:
    fault = "The till takes `round()` from the cart instead of the bank. Want me to fix that?"
    assert _decisions(fault, "yes") == []


def test_a_doubt_that_the_agent_answers_proposes_nothing() -> None:
    doubt = "could sums be kept twice, wouldn't it be odd to keep them in the till and the bank?"
    reply = "No, that is common. The bank is the truth, since `till.py` may lose its sums."
    assert not any(each.startswith("Not: ") for each in _decisions("Well.", doubt, reply, "ok"))


def test_what_the_agent_says_of_itself_is_no_advice() -> None:
    told = (
        "I can't write `till.py` in this mode, so I prepared the ledger, receipts and sums of all"
        " sellers instead of that. Want me to store the ledger?"
    )
    assert _decisions(told, "yes") == []


def test_points_are_settled_by_their_numbers() -> None:
    answers = "1. the sum of all lines, always\n2. yes, skip locking until tills are shared\n3. hm?"
    assert _decisions(_POINTS, answers) == [
        "Settled, point by point:\n"
        "- Rounding of lines: each line, or the sum? – the sum of all lines, always\n"
        "- Locking of tills: a file lock is not portable – yes, skip locking until tills are shared"
    ]


def test_a_list_of_the_persons_own_answers_no_point() -> None:
    own = "I found more:\n1. Prices blink in red\n2. Colours of the shop are odd\n3. Fonts are odd"
    assert not any("point by point" in each for each in _decisions(_POINTS, own))


def test_where_a_talk_landed_is_settled() -> None:
    landed = (
        "## Where we've landed\n\n1. Totals are summed in cents before they are rounded.\n"
        "2. No file lock is taken by a till of its own.\n"
    )
    assert _decisions(landed, "ok, next")[0].startswith("Settled")


def test_what_a_person_lets_go_since_the_agent_said_why_is_told_as_not_done() -> None:
    asked = "Could we check for an empty till in `open_till()` instead?"
    why = "That would be risky. `open_till()` is called by the bank, which works on empty tills."
    made = ClaudeCode().user("Mend the empty till").agent("Done.").user(asked).agent(why)
    told = contents(made.user("make a PR for this").plan(), Category.DECISION)
    assert told == [f"Not: {asked}\nWhy: {why}"]
    made = ClaudeCode().user("Mend the empty till").agent("Done.").user(asked).agent(why)
    assert contents(made.user("but the bank is gone").plan(), Category.DECISION) == []


def test_a_reply_that_only_begins_with_no_turns_nothing_down() -> None:
    asked = "Could `open_till()` call the bank instead of doing it twice?"
    reply = "No import cycle there. `open_till()` can call `bank.open()` as it stands."
    made = ClaudeCode().user("Mend tills").agent("Done.").user(asked).agent(reply)
    assert contents(made.user("do that").plan(), Category.DECISION) == []


def test_who_says_no_to_why_not_has_let_nothing_go() -> None:
    asked = "Could we check for an empty till in `open_till()` instead?"
    why = "That would be risky. `open_till()` is called by the bank, which works on empty tills."
    made = ClaudeCode().user("Mend the empty till").agent("Done.").user(asked).agent(why)
    assert contents(made.user("no, the bank is gone").plan(), Category.DECISION) == []
