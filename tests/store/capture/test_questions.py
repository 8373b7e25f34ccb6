"""Questions that an agent put to the person: what was chosen, and what was left."""

from __future__ import annotations

import json

import pytest

from store.capture.requests.request import title_of
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_OPTIONS = [
    {"label": "Integer cents (Recommended)", "description": "Sums stay exact."},
    {"label": "Decimal", "description": "Slower, but it reads well."},
]


def _asked(question: str, answers: list[str], options: object = _OPTIONS) -> list[str]:
    given: dict[str, object] = {
        "questions": [{"id": "q", "question": question, "options": options}]
    }
    result = json.dumps({"answers": {"q": {"answers": answers}}})
    made = ClaudeCode().user("Plan the till").call("request_user_input", given, result)
    return contents(made.plan(), Category.DECISION)


def test_an_answer_is_told_with_what_was_left() -> None:
    assert _asked("How should totals be kept?", ["Integer cents (Recommended)"]) == [
        "How should totals be kept? The user chose: Integer cents (Sums stay exact).\nNot: Decimal"
    ]


def test_an_answer_in_own_words_leaves_no_option() -> None:
    assert _asked("How should totals be kept?", ["As strings, the bank sends them so"]) == [
        "How should totals be kept? The user chose: As strings, the bank sends them so."
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Where should I write the plan down?",
        "Where should the new till stack be rooted?",
    ],
)
def test_where_work_goes_on_is_no_decision(question: str) -> None:
    assert _asked(question, ["In docs/, beside the others"]) == []


@pytest.mark.parametrize("result", ["{", "{}", '{"answers": []}', '{"answers": {"q": 1}}'])
def test_an_answer_that_cannot_be_read_is_none(result: str) -> None:
    given: dict[str, object] = {"questions": [{"id": "q", "question": "How?"}, 3]}
    made = ClaudeCode().user("Plan the till").call("request_user_input", given, result)
    assert contents(made.plan(), Category.DECISION) == []


def test_an_option_of_which_nothing_more_was_said_is_told_by_its_name() -> None:
    options = [{"label": "Integer cents", "description": ""}, {"label": "Decimal"}]
    (told,) = _asked("How should totals be kept?", ["option 2, it is exact"], options)
    assert told.startswith(
        "How should totals be kept? The user chose: option 2, it is exact (2: Decimal)."
    )


def test_a_plan_without_a_title_is_told_by_what_it_says() -> None:
    plan = "Totals are summed in integer cents before they are rounded."
    made = ClaudeCode().user("Plan the till").call("ExitPlanMode", {"plan": plan}, None)
    assert contents(made.plan(), Category.DECISION) == [f"Plan: {plan}"]


def test_a_long_request_says_at_its_beginning_what_it_wants() -> None:
    long = "The till is green and the drawer is open today. " * 200
    assert title_of(f"Close the till at noon. {long}Paint the shop.").startswith("Close the till")
