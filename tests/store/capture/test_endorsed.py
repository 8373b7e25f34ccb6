"""What a person brought in and the agent took up with a reason."""

from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_PROPOSED = "My thinking is that tills and stores each keep their own ledger, nothing is joined"


def _decisions(*said: str) -> list[str]:
    made = ClaudeCode().user("How does the till book?").agent("It books into one ledger.")
    for at, each in enumerate(said):
        made = made.agent(each) if at % 2 else made.user(each)
    return contents(made.plan(), Category.DECISION)


@pytest.mark.parametrize(
    "opening",
    [
        "You're right.",
        "Your proposal is cleaner:",
        "Good catch -",
        "Makes sense.",
        "Right, exactly.",
        "I totally agree.",
    ],
)
def test_what_the_agent_agrees_to_for_a_reason_is_a_decision(opening: str) -> None:
    why = "A shared ledger would lock `till.py` because two stores write at once."
    assert _decisions(_PROPOSED, f"{opening} {why}") == [f"{why}\nThe user: {_PROPOSED}"]


def test_a_person_who_says_why_themselves_needs_no_reason_from_the_agent() -> None:
    said = (
        "I have the feeling that we give up too much with the rented printer service, its queue is"
        " closed and paper cannot be chosen by the shop."
    )
    told = _decisions(said, "Agreed. A rented printer queue is the wrong thing for a shop.")
    assert told == [f"{said}\nAgreed: A rented printer queue is the wrong thing for a shop."]


@pytest.mark.parametrize(
    "reply",
    [
        "Good point. Let me look at `till.py`.",
        "You're right, I had it backwards!",
        "Good point. I'll keep `till.py` and `store.py` apart, because that is simpler.",
        "Got it. Now I'll add that to `till.py`.",
        "A shared ledger would lock `till.py` because two stores write at once.",
    ],
)
def test_a_reply_that_agrees_without_saying_why_or_does_not_agree_settles_nothing(
    reply: str,
) -> None:
    assert _decisions("keep ledgers apart for stores", reply) == []


def test_what_is_about_to_be_done_may_stand_before_the_reason() -> None:
    why = "A shared ledger would lock `till.py` because two stores write at once."
    reply = f"Good point. Let me look at `till.py`. {why} Now let me split it. It locks since then."
    assert _decisions(_PROPOSED, reply) == [f"{why}\nThe user: {_PROPOSED}"]


def test_thanks_are_not_taken_up() -> None:
    why = "The till cannot open the ledger of a store, because `till.py` has no key to it."
    reply = f"Makes sense. Thanks for the correction. So {why[0].lower()}{why[1:]}"
    (told,) = _decisions(_PROPOSED, reply)
    assert told == f"{why}\nThe user: {_PROPOSED}"


def test_a_question_of_fact_is_no_proposal() -> None:
    assert _decisions("is the ledger read anywhere?", "Good question. `book` reads it.") == []


def test_what_answers_a_question_with_how_it_is_now_agrees_to_nothing() -> None:
    asked = "could the ledger of a till be seen by the other sellers of its store?"
    assert _decisions(asked, "Good point. `book()` only writes the ledger of the till.") == []


def test_the_way_there_is_told_without_a_list_of_steps() -> None:
    reply = (
        "You're right, so the flow must be:\n\n1. The till signs\n2. The store books\n\n"
        "So `book()` never opens the ledger without a signature, otherwise sums are lost."
    )
    (told,) = _decisions("Stores should check the signature of tills before booking sums", reply)
    assert told.startswith("`book()` never opens the ledger without a signature")


def test_of_what_a_person_said_the_sentence_is_told_that_is_taken_up() -> None:
    said = (
        "The drawers of the shops were counted by hand until now. Coins should be counted by the"
        " printer of `drawer.py` instead, not by hand. The clerks have other work at night."
    )
    why = "A printer counts coins without `drawer.py`, because it weighs them."
    (told,) = _decisions(said, f"You're right. {why}")
    assert told.partition("\nThe user: ")[2].startswith("Coins should be counted by the printer")


def test_what_only_says_that_there_is_more_to_it_is_not_told() -> None:
    why = "A shared ledger would lock `till.py` because two stores write at once."
    more = "But there's a real tension here with the drawers of the shop."
    assert _decisions(_PROPOSED, f"You're right. {why} {more}") == [f"{why}\nThe user: {_PROPOSED}"]


def test_who_has_a_doubt_has_brought_nothing_in() -> None:
    doubt = "I was wondering why the till should open the ledger, and not the store instead of it."
    why = "The store opens the ledger instead of the till, because two tills would lock it."
    assert _decisions(doubt, f"You're right. {why}") == []
    assert _decisions("The store should open the ledger, not the till.", f"You're right. {why}")
