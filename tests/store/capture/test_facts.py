from __future__ import annotations

import pytest

from store.capture.text.facts import ENOUGH, answer_in, direct_answer, teaches, teaches_enough
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_RULE = "The printer's proxy does not pass `X-Till` on, because it only knows headers of version 1."


@pytest.mark.parametrize(
    "sentence",
    [
        _RULE,
        "`push()` never waits for paper, so that a receipt of 40 lines takes 12 seconds at most.",
        "Rows of `tills` cannot be read at night, since the bank locks them for 3 hours.",
    ],
)
def test_a_limit_with_its_reason_and_names_teaches(sentence: str) -> None:
    assert teaches(sentence) >= ENOUGH


@pytest.mark.parametrize(
    "sentence",
    [
        "Added `X-Till` to the headers that the printer's proxy does not pass on by itself.",
        "I think `push()` might not wait for paper, because it seems to return at once.",
        "Does the printer's proxy pass `X-Till` on, or only headers of version 1?",
        "The tests are green, and lint does not complain of `push()` any more since this commit.",
        "Let me see why `push()` does not wait for paper, because it must.",
    ],
)
def test_deeds_guesses_questions_and_the_work_teach_too_little(sentence: str) -> None:
    assert teaches(sentence) < ENOUGH


def test_what_leans_is_told_with_what_it_leans_on_or_not_at_all() -> None:
    lead = "Receipts go through the proxy of the printer, `lp/proxy`."
    leaning = "It does not pass `X-Till` on, because it only knows headers of version 1."
    assert answer_in(f"{lead} {leaning}") == f"{lead} {leaning}"
    assert answer_in(f"Here is why:\n\n{leaning}") == ""


def test_what_says_yes_or_no_comes_first() -> None:
    answer = "So yes - the number of the till reaches the printer as it is."
    assert answer_in(f"I looked at the proxy.\n\n{answer}\n\n{_RULE}") == f"{answer} {_RULE}"
    assert answer_in(f"No problem, that can be found out at once.\n\n{_RULE}") == _RULE


@pytest.mark.parametrize(
    "part",
    [
        "The proxy keeps it in `lp/till`), because it only knows headers of version 1.",
        "If not, `lp/proxy` never passes it on, because it only knows headers of version 1.",
        "On success: `lp/proxy` never asks again, because it only knows headers of version 1.",
    ],
)
def test_a_part_of_a_sentence_and_a_step_teach_nothing(part: str) -> None:
    assert teaches(part) == 0


def test_two_that_nearly_teach_enough_do_together() -> None:
    nearly = ["`push()` only works by day, whoever calls it from there.",
              "`pull()` does not work by night, whoever calls it from there."]  # fmt: skip
    assert [teaches(each) for each in nearly] == [ENOUGH - 1, ENOUGH - 1]
    assert not teaches_enough(nearly[0])
    assert teaches_enough("\n".join(nearly))


def _asked(question: str, answer: str) -> ClaudeCode:
    made = ClaudeCode().user(question)
    for name in ("proxy", "till", "bank"):
        made.bash(f"cat lp/{name}", "…")
    return made.agent(answer)


def test_what_an_answer_teaches_is_a_fact_with_its_question() -> None:
    question = "Does the printer get the header with the number of the till?"
    (told,) = contents(_asked(question, f"No.\n\n{_RULE}").plan(), Category.KEY_FACT)
    assert told == f"{_RULE}\nAsked: {question}"


def test_what_was_answered_before_the_work_began_is_a_fact() -> None:
    """Who only lets the agent go on asks for nothing: the answer belongs to what they asked."""
    made = _asked("Does the printer get the number of the till?", f"{_RULE}\n\nShould I mend it?")
    made.user("yes").edit("lp/tray.py").agent("Done.")
    (told,) = contents(made.plan(), Category.KEY_FACT)
    assert told.startswith(_RULE)


def test_an_answer_to_who_wants_a_plan_is_told_as_a_plan() -> None:
    asked = _asked("What would be a plan for the header of the till?", _RULE)
    assert contents(asked.plan(), Category.KEY_FACT) == []


def test_what_is_so_on_purpose_is_a_decision_where_it_teaches() -> None:
    made = ClaudeCode().user("Sort the rows")
    told = "`till.py` deliberately never sorts by name, because the bank expects the order of time."
    made.agent(f"Done.\n\n{told}\n\nI left the rest as it was, intentionally.")
    assert contents(made.plan(), Category.DECISION) == [f"{told}\nOn: Sort the rows"]


@pytest.mark.parametrize(
    "told",
    [
        "lp (`lp/proxy:4`) never asks for `X-Till` by day, because the rules are read then.",
        "The token of `lp/proxy` won't start other jobs on what it sends.\n\n"
        "The only downside is that keys expire and belong to one person.",
    ],
)
def test_an_answer_that_teaches_is_kept_however_it_begins(told: str) -> None:
    question = "Does the printer ask for the number of the till by itself?"
    assert len(contents(_asked(question, told).plan(), Category.KEY_FACT)) == 1


def test_what_the_agent_looked_at_is_no_answer() -> None:
    looked = "Yes — I read through the setup of the tills and of the bank that they write to."
    assert answer_in(f"{looked}\n\n{_RULE}") == _RULE
    assert (
        answer_in(f"No bloom, but all of it is built on a glow of the tills.\n\n{_RULE}") == _RULE
    )


def test_an_answer_given_at_once_is_told_in_four_sentences() -> None:
    said = ["Yes, `close()` keeps the lease, because the till needs it."]
    said += ["The queue is flushed by `take()` at night.", "Rows never leave `queue.py` earlier."]
    said += ["The `lease` ends with the day.", "A clerk never sees `row_id` at all."]
    assert direct_answer(" ".join(said)) == " ".join(said[:4])


def test_an_answer_has_room_for_480_characters() -> None:
    short = "Yes, `close()` keeps the lease, because the till needs it."
    ends = "the lease of a till ends, " * 12
    long, longer = (f"Rows of `{it}` never leave it, because {ends}so." for it in ("queue", "rows"))
    assert direct_answer(f"{short} {long} {longer}") == f"{short} {long}"
    assert answer_in(f"{long} {longer}") == long


@pytest.mark.parametrize(("text", "is_enough"), [("", False), (_RULE, True), ("It waits.", False)])
def test_a_text_of_which_no_sentence_teaches_is_not_enough(text: str, is_enough: bool) -> None:
    assert teaches_enough(text) is is_enough


def test_what_teaches_most_of_a_text_counts_wherever_it_stands() -> None:
    much = "`till.py` must never wait, because the printer is off."
    for text in (much, f"The till is green. Rows stay. {much}", f"{much} Rows stay. It is green."):
        assert teaches_enough(text)
