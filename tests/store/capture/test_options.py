from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_LAID_OUT = """There are three ways:

## Option 1: Ask at every start
- Certain, but in the way

## Option 2: Tell once, and let people opt out
- No question that blocks
- What most tools do

## Option 3: Say nothing

My recommendation is option 2. Which one?"""


@pytest.mark.parametrize(
    "answer", ["let's implement options 2", "2", "2 please", "the second one", "Option 2, yes."]
)
def test_a_pick_is_told_with_what_it_says_and_what_was_left(answer: str) -> None:
    made = ClaudeCode().user("How should we tell of the metrics?").agent(_LAID_OUT).user(answer)
    (decision,) = contents(made.agent("On it.").plan(), Category.DECISION)
    assert decision.splitlines()[:3] == [
        "Chosen: Tell once, and let people opt out",
        "No question that blocks What most tools do",
        "Not: Ask at every start; Say nothing",
    ]


@pytest.mark.parametrize(
    ("answer", "is_told"), [("Option 2, yes please", False), ("Option 2, it blocks nobody", True)]
)
def test_what_is_said_beside_a_pick_is_told_where_it_says_more(answer: str, is_told: bool) -> None:
    made = ClaudeCode().user("How should we tell of the metrics?").agent(_LAID_OUT).user(answer)
    (decision,) = contents(made.agent("On it.").plan(), Category.DECISION)
    assert (f"The user: {answer}" in decision) is is_told


@pytest.mark.parametrize("answer", ["why not 2?", "it takes 2 seconds now", "1, 2 and 3", "hm"])
def test_a_question_or_all_of_them_is_no_pick(answer: str) -> None:
    made = ClaudeCode().user("How should we tell of the metrics?").agent(_LAID_OUT).user(answer)
    assert not any("Chosen" in each for each in contents(made.plan(), Category.DECISION))


@pytest.mark.parametrize("answer", ["1: ten weeks, that is enough", "2", "the second one"])
def test_answers_to_a_list_of_questions_pick_none(answer: str) -> None:
    asked = (
        "Some questions:\n1. How far back should it look?\n2. What of orphans: show them?\n\nOk?"
    )
    made = ClaudeCode().user("Show all branches").agent(asked).user(answer)
    assert not any("Chosen" in each for each in contents(made.plan(), Category.DECISION))


def test_who_lays_out_options_for_the_agent_settles_none() -> None:
    made = ClaudeCode().user("Add a counter").agent("I can count in memory or on disk. Shall I?")
    made.user("Which one do you think is better?\n1. Count only in memory, never on disk\n2. else?")
    assert not contents(
        made.agent("In memory: it is only ever read there.").plan(), Category.DECISION
    )
