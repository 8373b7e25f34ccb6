"""A pasted plan: why, the cause, and what it settles; never its steps."""

from __future__ import annotations

import pytest

from store.capture.decisions.pasted_plans import fault_in, is_plan, plan_statements
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

WHY = "Two agents that add at once wait for each other for a minute."
CAUSE = "The lock is held while a person is asked, which takes as long as they like."
SETTLED = "One lock for each issue, since a lock on the whole store was too slow."
LATER = "No daemon is started, whatever it would save: nothing may run unseen."
PLAN = f"""Implement this plan:

# Plan: Short locks

## Context
{WHY}

## `store/lock.py`
Acquire the lock late, release it early, and say in the log how long it took.

## Root cause
{CAUSE}

## Risks
None.

## Approach
{SETTLED}

## Steps
Write the test, then the lock, then the page of the manual that tells of it.

## Constraints
{LATER}
"""


def test_it_says_why_the_cause_and_what_is_settled() -> None:
    assert is_plan(PLAN)
    assert list(plan_statements(PLAN)) == [
        (Category.DECISION, f"Plan: Short locks. {WHY}"),
        (Category.KEY_FACT, f"Root cause (Short locks): {CAUSE}"),
        (Category.DECISION, f"Approach (Short locks): {SETTLED}"),
        (Category.DECISION, f"Constraints (Short locks): {LATER}"),
    ]


def test_of_a_long_one_three_sections_are_told() -> None:
    many = PLAN + "".join(f"\n## Assumptions {n}\n{SETTLED}\n" for n in range(4))
    assert len(list(plan_statements(many))) == 4


def test_a_list_to_tick_off_says_how_far_a_plan_is() -> None:
    plan = PLAN.partition("## Constraints")[0]
    told = list(plan_statements(plan))
    ticked = "- [x] Every limit must be measured.\n- [ ] No lock is held long, since it blocks.\n"
    assert list(plan_statements(f"{plan}\n## Constraints\n{ticked}")) == told
    mixed = f"{ticked}- {LATER}\n- {SETTLED}\n"
    assert len(list(plan_statements(f"{plan}\n## Constraints\n{mixed}"))) == len(told) + 1


def test_a_message_that_only_names_a_plan_is_none() -> None:
    assert not is_plan("The plan is good, go on.\n\n## Context\nNothing else.")
    assert not is_plan(f"## Context\n{WHY}\n\n## Root cause\n{CAUSE}")


def test_a_plan_that_the_agent_proposes_in_the_end_is_told() -> None:
    made = ClaudeCode().user("Plan how the lock gets short")
    made.agent(f"<proposed_plan>\n{PLAN.partition(chr(10))[2]}</proposed_plan>")
    assert f"Approach (Short locks): {SETTLED}" in contents(made.plan(), Category.DECISION)
    made.user("no, locks stay as they are")
    assert not any("Short locks" in each for each in contents(made.plan(), Category.DECISION))


def test_how_a_plan_goes_about_it_is_told_by_the_change_unless_it_says_why() -> None:
    how = "A lock is taken for each issue, but the store is not locked as a whole any more at all."
    plan = PLAN.replace(SETTLED, how)
    made = ClaudeCode().user(plan).edit("store/lock.py").agent("`store/lock.py` locks an issue.")
    assert not any(how in each for each in contents(made.plan(), Category.DECISION))
    why = ClaudeCode().user(PLAN).edit("store/lock.py").agent("`store/lock.py` locks an issue.")
    assert any(SETTLED in each for each in contents(why.plan(), Category.DECISION))


@pytest.mark.parametrize("heading", ["Contexte", "Problème", "Contexto", "Hintergrund"])
def test_why_a_plan_is_made_is_read_in_other_languages_too(heading: str) -> None:
    plan = PLAN.replace("## Context", f"## {heading}")
    assert next(plan_statements(plan)) == (Category.DECISION, f"Plan: Short locks. {WHY}")


def test_a_plan_that_reports_what_was_read_has_no_reason_of_its_own() -> None:
    for why in (
        "Full-shop security audit of the tills, their drawers and the doors beside them.",
        "The user requested a review of all tills that stand in the shops of the town.",
    ):
        assert not any(
            text.startswith("Plan") for _, text in plan_statements(PLAN.replace(WHY, why))
        )


def test_a_cause_is_told_where_it_says_what_was_wrong() -> None:
    cause = "`take()` sums the rows of each till into the rows of the shop, row by row."

    def told(heading: str, text: str) -> bool:
        plan = f"# Plan: Short locks\n\n## Context\n\n{WHY}\n\n## {heading}\n\n{text}\n"
        return any(text in each for _, each in plan_statements(plan))

    assert not told("Root cause", cause)
    assert told("Root cause", f"{cause} It never locks them.")
    assert told("Analysis", f"{cause} That is the bottleneck of the shop.")
    assert not told("Resolved issues", f"{cause} It never locks them.")
    assert told("Root cause", "`take()` is called after each row, ten thousand times a night.")


@pytest.mark.parametrize(
    ("title", "why", "is_told"),
    [
        ("Add drawers to the README", WHY, False),
        ("Read the README of each drawer", WHY, True),
        ("Tidy the till", "The buttons and badges of each tab have borders of two colors.", False),
        ("Tidy the till", "The button of each till is pressed twice before it answers.", True),
        (
            "Count the rows",
            "Each column of the grid holds the rows of a tab that was closed.",
            True,
        ),
    ],
)
def test_a_plan_of_how_it_looks_or_of_what_is_read_is_seen(
    title: str, why: str, *, is_told: bool
) -> None:
    plan = f"# Plan: {title}\n\n## Context\n\n{why}\n\n## Steps\n\nOne by one.\n"
    assert any(text.startswith("Plan: ") for _, text in plan_statements(plan)) is is_told


@pytest.mark.parametrize(
    ("heading", "is_told"),
    [
        ("Risks and mitigation", False),
        ("Risk 1: rows are lost", False),
        ("Option 2: an alternative", False),
        ("Option 2 (chosen): an alternative", True),
        ("Risks", True),
    ],
)
def test_what_was_laid_out_and_not_chosen_settles_nothing(heading: str, is_told: bool) -> None:
    plan = PLAN.replace(f"Constraints\n{LATER}", f"{heading}\n{LATER}")
    assert any(LATER in told for _, told in plan_statements(plan)) is is_told


def test_what_says_why_is_told_once_though_its_heading_names_what_is_settled_too() -> None:
    plan = PLAN.replace("## Context", "## Goal and scope")
    told = [text for _, text in plan_statements(plan)]
    assert [WHY in it for it in told] == [True, False, False, False]


@pytest.mark.parametrize(
    ("heads", "told"),
    [
        (("Context", "Bug", "Cause"), "Bug"),
        (("Context", "The problem"), "The problem"),
        (("Root cause", "Bug"), "Root cause"),
        (("Debugging", "Steps"), ""),
    ],
)
def test_the_first_part_that_says_what_is_wrong_is_told(heads: tuple[str, ...], told: str) -> None:
    parts = [f"## {it}\n{it} of the till is that nobody closes it at night." for it in heads]
    assert fault_in("\n".join(parts)).partition(" of")[0] == told
    short = "## Bug\nToo short.\n" + "\n".join(parts)
    assert fault_in(short) == fault_in("\n".join(parts))
    assert fault_in("Bug: nobody closes it at night, whatever the clerk of the shop says.") == ""
