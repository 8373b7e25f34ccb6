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


def _chosen(laid_out: str, *said: str) -> list[str]:
    made = ClaudeCode().user("Look at the till").agent(laid_out)
    for each in said[:-1]:
        made.agent(each)
    return contents(made.user(said[-1]).agent("Done.").plan(), Category.DECISION)


_WAYS = (
    "### Decision 2: where rows of the till stand\n\nIt could be both.\n\n"
    "1. **Keep the table** — one file to copy\n2. **Move to a log** — rows are never lost\n\n"
)


def test_a_pick_by_its_number_is_told_with_what_it_was_about() -> None:
    """The answers that are allowed may stand behind the question, in brackets."""
    assert _chosen(f"{_WAYS}Which do you prefer? (1 or 2)", "2") == [
        "Chosen: Move to a log — rows are never lost\nNot: Keep the table — one file to copy\n"
        "On: where rows of the till stand"
    ]


@pytest.mark.parametrize("heading", ["rows", "what is your call on rows? (1 / 2)"])
def test_a_heading_that_only_counts_or_asks_is_no_subject(heading: str) -> None:
    ways = _WAYS.replace("where rows of the till stand", heading)
    assert "On:" not in _chosen(f"{ways}Which do you prefer?", "2")[0]


_NAMED = (
    "The lock may be taken twice.\n\n**Options:**\n- **Accept it** - the till copes with it\n"
    "- **Guard it** - a flag `is_locking` refuses the second\n\nWhat should be done about it?"
)


def test_a_pick_by_its_name_is_a_decision_though_more_was_said_since() -> None:
    (told,) = _chosen(_NAMED, "Waiting for your call.", "Guard it option\nand then go on")
    assert told.startswith("Chosen: Guard it\na flag `is_locking` refuses the second\nNot: Accept")


@pytest.mark.parametrize("said", ["Guard the till", "What is a guard?", "Accept"])
def test_what_names_no_option_picks_none(said: str) -> None:
    assert _chosen(_NAMED, said) == []


def test_names_that_are_no_options_cannot_be_picked() -> None:
    assert _chosen(_NAMED.replace("**Options:**", "**Findings**"), "Guard it option") == []


def test_a_command_of_a_programs_menu_is_no_choice() -> None:
    menu = "\n".join(
        (
            "1. `close-day` — Close the day",
            "2. `count-coins` — Count the coins",
            "3. `help` — Show this",
            "\nWhich one?",
        )
    )
    made = ClaudeCode().user("Open the menu of the till").agent(menu).user("2")
    assert contents(made.agent("On it.").plan(), Category.DECISION) == []


def test_the_steps_that_a_program_writes_answer_no_point() -> None:
    points = "1. Count the coins of the day\n2. Close the drawer of the till\n\nWhich one?"
    steps = (
        '<steps CRITICAL="TRUE">\n1. Always load the whole of flow.xml\n'
        "2. Read all that stands in it, line by line\n</steps>"
    )
    made = ClaudeCode().user("Open the menu of the till").agent(points).user(steps)
    assert contents(made.agent("On it.").plan(), Category.DECISION) == []
