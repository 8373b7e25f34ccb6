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
    made.agent("Agreed: a harness of labelled reviews is too heavy, since we only need a list.")
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


def test_what_stood_settled_before_anybody_spoke_is_told_by_another_session() -> None:
    status = LOCKED.format(lead="## Key decisions made")
    opened = ClaudeCode().agent(status).user("go on with the page of the report")
    assert not any("Settled" in each for each in contents(opened.plan(), Category.DECISION))


def test_what_was_chosen_question_by_question_is_not_summed_up_again() -> None:
    asked = [
        "How are the severities of a report shown, as the model gave them?",
        "Are unconfirmed findings kept apart from the others in the report?",
    ]
    given = ["As the model gave it, nothing fails a build", "Keep findings apart in the report"]
    answer = " ".join(f'"{q}"="{a}"' for q, a in zip(asked, given, strict=True))
    questions: dict[str, object] = {
        "questions": [{"question": each, "options": []} for each in asked]
    }
    made = ClaudeCode().user("What shall a report look like?")
    made.call("AskUserQuestion", questions, f"User has answered: {answer}.")
    made.agent(LOCKED.format(lead="## What we decided"))
    told = contents(made.plan(), Category.DECISION)
    assert len(told) == 2 and not any("Settled" in each for each in told)


def test_a_recap_of_which_most_was_chosen_before_tells_little() -> None:
    asked = ["Which receipts are kept, and how long?", "Who may void a receipt in the shop?"]
    given = ["All receipts for ten years", "Only the seller whose receipt it is"]
    answer = " ".join(f'"{q}"="{a}"' for q, a in zip(asked, given, strict=True))
    questions: dict[str, object] = {
        "questions": [{"question": each, "options": []} for each in asked]
    }
    made = ClaudeCode().user("Discuss receipts of the shop")
    made.call("AskUserQuestion", questions, f"User has answered: {answer}.")
    made.agent(
        "## Decisions captured\n\n- Archive: receipts are kept for ten years, every single one\n"
        "- Voiding: the seller whose receipt it is, nobody else, ever\n"
        "- Paper: the printer decides on its width and on its colour\n"
    )
    told = contents(made.plan(), Category.DECISION)
    assert len(told) == 2 and not any("Settled" in each for each in told)


def test_what_is_listed_as_learned_is_a_lesson() -> None:
    learned = (
        "Created `docs/reports.md` with the key takeaways:\n\n"
        "- A report without findings must still say what was looked at\n"
        "- Findings that are only counted are never read by anybody\n"
    )
    made = ClaudeCode().user("What did we learn from the reports?").agent(learned)
    assert contents(made.plan(), Category.LESSON) == [
        "Learned:\n- A report without findings must still say what was looked at\n"
        "- Findings that are only counted are never read by anybody"
    ]


def test_boxes_that_were_ticked_settle_nothing() -> None:
    made = ClaudeCode().user("Check the plan of the till")
    made.agent("Decisions made:\n\n- [x] Roundings documented in full\n- [x] All of them tested")
    assert not contents(made.plan(), Category.DECISION)
