from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

LOCKED = (
    "Perfect, that is clear.\n\n{lead}\n\n"
    "- Show the severity as the model gave it, nothing fails a build\n"
    "- Keep unconfirmed findings apart from the others in the report\n\n"
    "Two questions are left:\n\n- Which colour do they have in the report?"
)


def settled(lead: str) -> list[str]:
    made = ClaudeCode().user("What shall a report look like?").agent("Should findings be split?")
    made.bash("git status", "clean").user("I like that, severity stays as it is.")
    made.agent(LOCKED.format(lead=lead))
    return contents(made.plan(), Category.DECISION)


@pytest.mark.parametrize(
    "lead", ["Locked decisions from your answers:", "**Locked in:**", "## What we decided"]
)
def test_what_is_summed_up_as_settled_is_a_decision(lead: str) -> None:
    (told, *_) = settled(lead)
    assert told.startswith("Settled:\n- Show the severity as the model gave it")
    assert "Keep unconfirmed findings apart" in told
    assert "Which colour" not in told


@pytest.mark.parametrize(
    "lead", ["Open decisions:", "Decisions needed before we start:", "What it does:"]
)
def test_what_is_still_to_be_decided_is_none(lead: str) -> None:
    assert not any("Settled" in each for each in settled(lead))


def test_a_message_answered_in_words_alone_settles_something_in_a_working_session_too() -> None:
    made = ClaudeCode().user("Plan the report").bash("ls", "a.py")
    made.agent("Shall I build a harness of labelled reviews first, which scores every finding?")
    made.user("A harness of labelled reviews is too much, you are over-engineering it this early.")
    made.agent("Agreed: a harness of labelled reviews is too heavy for this phase.")
    assert contents(made.plan(), Category.DECISION)


def test_the_parts_of_a_recap_stand_below_headings_of_their_own() -> None:
    recap = (
        "All questions are answered.\n\n## Decisions captured\n\n### Tills\n"
        "- One till belongs to one seller of the shop\n\n### Receipts\n"
        "- Receipts are printed for every sale, at once\n\n## Noted for later\n- Colours of tills\n"
    )
    made = ClaudeCode().user("Discuss tills and receipts of the shop").agent(recap)
    (told,) = contents(made.plan(), Category.DECISION)
    assert told.endswith(
        "- Tills: One till belongs to one seller of the shop\n"
        "- Receipts: Receipts are printed for every sale, at once"
    )
