"""Changes of which nobody said why: who tells them, and when they are memories of their own."""

from __future__ import annotations

import pytest

from store.agents.session import Session
from store.capture.candidate import Beside, Candidate
from store.capture.carried import carrier_of, line_of
from store.capture.plan import CapturePlan, plan_capture
from store.capture.text.trouble import tells_trouble
from store.model import Category, Observation
from store.settings.schema import Settings
from tests.store.capture.transcripts import NOW, ClaudeCode, contents


def _held(plan: CapturePlan) -> tuple[Observation, ...]:
    return tuple(each.observation._replace(id=f"obs-{i}") for i, each in enumerate(plan.kept))


def _asked_twice() -> ClaudeCode:
    made = ClaudeCode().user("From now on write prices in cents, never in fractions of a unit.")
    made.agent("Prices are written in cents.").user("Add a column for the price to the list")
    return made.edit("shop/list.py").agent("`list.py` has a column for the price.")


def test_what_else_a_session_taught_names_the_files_of_a_change_without_a_reason() -> None:
    plan = _asked_twice().plan()
    (rule,) = contents(plan, Category.LESSON)
    assert not contents(plan, Category.CODE_CHANGE)
    assert rule.endswith("\nChanged in this session: shop/list.py.")


@pytest.mark.parametrize(("length", "carries"), [(1_300, True), (1_301, False)])
def test_a_long_memory_carries_nothing(length: int, carries: bool) -> None:
    change = Candidate(Category.CODE_CHANGE, "Added a column to the list", 1, "")
    rule = Observation("dev", 29, Category.LESSON, "Each column has a name".ljust(length, "."))
    beside = Beside(change, "", ("shop/list.py",), stands_alone=False)
    assert carrier_of(beside, [rule]) == (0 if carries else None)


def test_of_many_files_the_first_are_named_and_the_others_counted() -> None:
    change = Candidate(Category.CODE_CHANGE, "Added a column to the list", 1, "")
    files = tuple(f"shop/{'list' * 12}/{at}.py" for at in range(9))
    told = line_of(Beside(change, "", files, stands_alone=False), "")
    assert told.startswith(f"\nChanged in this session: {files[0]}, {files[1]}, ")
    assert told.endswith(f"{files[4]} and 4 more.")


def test_a_carried_change_is_captured_once() -> None:
    made = _asked_twice()
    before = made.plan()
    assert made.plan(_held(before)).is_empty
    made.user("Sort the list by name").edit("shop/sort.py").agent(
        "The problem was that `sort.py` kept the order of the disk. `sort()` takes names now."
    )
    again = made.plan(_held(before))
    assert "shop/sort.py" in "\n".join(contents(again, Category.CODE_CHANGE))
    assert not contents(again, Category.LESSON)


def test_a_change_without_a_reason_is_a_memory_where_nothing_else_is_unless_git_has_it() -> None:
    made = ClaudeCode().user("Add a column for the price to the list").edit("shop/list.py")
    made.agent("`list.py` has a column for the price.")
    assert "shop/list.py" in contents(made.plan(), Category.CODE_CHANGE)[0]
    made.bash("git add -A && git commit -m 'Add a column'", "[main 1] Add a column")
    assert made.plan().is_empty


def test_a_file_that_its_carrier_names_already_is_not_named_twice() -> None:
    made = ClaudeCode().user("From now on keep `shop/list.py` free of prices in fractions.")
    made.agent("Understood.").user("Add a column for the price to the list")
    made.edit("shop/list.py").agent("`list.py` has a column for the price.")
    (rule,) = contents(made.plan(), Category.LESSON)
    assert rule.count("shop/list.py") == 1


def test_a_person_who_says_what_is_wrong_gives_the_reason() -> None:
    made = ClaudeCode().user(
        "The total is not updated when the last row of the list is removed. Please mend it."
    )
    made.edit("shop/total.py").agent("`total.py` adds the rows anew at each change.")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.startswith("The total is not updated when the last row of the list is removed.")


def test_two_accounts_of_one_trouble_are_one_memory() -> None:
    made = ClaudeCode().user("Find out why the total of the list is wrong, and mend it")
    made.edit("shop/total.py")
    made.agent("The total was wrong because `total.py` counted the deleted rows of the list.")
    made.user("Write the test for the deleted rows, too").edit("shop/total.py")
    made.edit("tests/test_total.py")
    made.agent(
        "The total was wrong because `total.py` counted deleted rows, which a test holds now."
    )
    assert len(contents(made.plan(), Category.CODE_CHANGE)) == 1


@pytest.mark.parametrize(
    ("clause", "is_trouble"),
    [
        ("The lock was never released when the writer died.", True),
        ("Currently each till opens its own file.", True),
        ("Moved the table into `till.py`, since two modules had it.", True),
        ("Renamed `take()` to `lease()` so that it says what it does.", False),
        ("`till.py`: Added a guard to avoid a second sale.", False),
        ("till.py - Uses `lease()` instead of `take()`.", False),
        ("Since the tests of `till.py` were touched, let's build for both, too.", False),
    ],
)
def test_what_was_done_is_no_trouble_unless_it_says_because_of_what(
    clause: str, is_trouble: bool
) -> None:
    assert tells_trouble(clause) is is_trouble


def test_what_holds_from_now_on_is_no_account_of_the_trouble_that_led_to_it() -> None:
    trouble = "`close()` drops rows of the queue, because the lease of the till ends first."
    rule = "Never close the queue of the till first: `close()` drops rows when the lease ends."
    found = [Candidate(Category.ERROR, trouble, 1, ""), Candidate(Category.LESSON, rule, 2, "")]
    plan = plan_capture(Session(), issue=29, held=(), now=NOW, settings=Settings(), found=found)
    assert [it.observation.content for it in plan.kept] == [trouble, rule]


def test_a_plan_that_a_summary_repeats_is_told_by_the_change_that_carried_it_out() -> None:
    plan = (
        "# Plan: Close the till at eight\n\n## Context\nThe cashier leaves at eight, and the till"
        " stayed open for the cleaners, who sold bread.\n\n## Steps\n1. Add a clock\n"
    )
    made = ClaudeCode().user(f"Implement the following plan:\n\n{plan}").edit("shop/till.py")
    made.agent("`till.py` closes by the clock now.")
    summary = f"Summary:\n1. Primary Request and Intent:\n{plan}"
    made.user(f"This session is being continued.\n\n{summary}", isCompactSummary=True)
    told = [it.observation.content for it in made.plan().kept]
    assert sum("sold bread" in each for each in told) == 1


def test_what_is_taken_up_without_a_proposal_or_a_ruling_is_no_decision() -> None:
    made = ClaudeCode().user("The drawer of the second till shows a wrong sum at eight.")
    made.agent("Good catch. The bug is that the drawer adds coins twice because of a rounding.")
    assert not contents(made.plan(), Category.DECISION)


def test_what_anybody_tries_first_is_no_procedure_in_whatever_folder() -> None:
    made = ClaudeCode().user("Does it build?").bash("cd go && go build ./cmd/till", "ok")
    made.bash("go test ./cmd/till", "ok").agent("It builds.")
    assert not contents(made.plan(), Category.PROCEDURE)
    made.bash("golangci-lint run", "ok")
    assert contents(made.plan(), Category.PROCEDURE)


def test_what_the_sandbox_alone_kept_from_an_agent_is_open_to_nobody() -> None:
    made = ClaudeCode().user("Run the tests of `till.py` and tell me what they say")
    made.bash("pytest tests/test_till.py", "EPERM", failed=True)
    made.agent("The run of `till.py` is still blocked by the sandbox: EPERM on 127.0.0.1.")
    assert not contents(made.plan(), Category.HANDOFF)


def test_who_analyses_changes_reviews_them_and_finds_nothing() -> None:
    made = ClaudeCode().user("Perform an adversarial analysis of the changes on this branch")
    made.bash("git diff main", "+ x").bash("git log --stat", "x")
    made.agent(
        "I found no issues in `till.py`. It passes one token, which is consistent with the"
        " specification, because claims are never paired with metadata of another source."
    )
    assert made.plan().is_empty


def test_another_matter_in_the_same_files_is_another_change() -> None:
    made = ClaudeCode().user("The till is not closed when the cashier leaves at eight.")
    made.edit("shop/till.py").agent("`till.py` closes by the clock now.")
    made.user("Bound the channel of receipts by a documented capacity in `till.py`, too")
    lines = " ".join(
        f"Receipt channel {n} of `till.py` holds {n}00, which absorbs a burst of the drawer {n},"
        " and drops what is more with a warning in the log of the shop."
        for n in range(2, 7)
    )
    made.edit("shop/till.py").agent(f"The problem was that `channel()` had no bound. {lines}")
    assert "had no bound" in "\n".join(contents(made.plan(), Category.CODE_CHANGE))


def test_what_a_change_without_a_reason_would_say_is_told_by_what_settled_it() -> None:
    made = ClaudeCode().user("From now on write prices in cents, never in fractions of a unit.")
    made.agent("Understood. Should a row's total stay in `shop/list.py`, or move to `row.py`?")
    ruled = "A row's total must stay in `shop/list.py`: the tax office insists on it"
    made.user(ruled).edit("shop/list.py").agent("`list.py` has a column for the total of a row.")
    plan = made.bash("git commit -am 'Add a column'", "[main 1] Add a column").plan()
    assert not contents(plan, Category.CODE_CHANGE)
    assert any(it.startswith(ruled) for it in contents(plan, Category.DECISION))


def test_a_change_that_went_on_after_it_was_captured_tells_only_what_came_then() -> None:
    made = ClaudeCode().user("Let the till close at eight").edit("shop/till.py")
    made.agent("The problem was that the cleaners sold bread in `till.py`.")
    held = _held(made.plan())
    made.user("Log in the till who closed it").edit("shop/till.py")
    made.agent("The problem was that `till.py` never said who had closed it.")
    (told,) = contents(made.plan(held), Category.CODE_CHANGE)
    assert told.startswith("Log in the till who closed it: The problem was that `till.py` never")
    assert "bread" not in told
    assert "eight" not in told


def test_a_memory_keeps_the_first_of_many_sources() -> None:
    made = _asked_twice()
    for _ in range(70):
        made.edit("shop/list.py")
    (rule,) = (each.observation for each in made.plan().kept)
    assert len(rule.sources) == 60
    assert rule.sources[0] == "session:s-1#1"


def test_what_was_taught_after_a_capture_is_told_without_what_that_has() -> None:
    made = (
        ClaudeCode()
        .user("Mend the rows of the night")
        .agent(
            "The gateway never takes more than 40 rows of `queue.take()`, because `bank.py` closes"
            " at 41. The rows of the night are written before the lease is given back, and are"
            " read again by the till in the morning."
        )
    )
    before = made.edit("shop/till.py").plan()
    (told,) = contents(before, Category.KEY_FACT)
    assert "gateway" in told
    made.agent(
        "The printer never waits for `print()` longer than 30 seconds, because `paper.py` gives up"
        " then. The receipts of the day are kept until the paper is there, and are printed by the"
        " till in the evening.\n\nThe clerk of a till never counts `coins.total()` twice, because"
        " `bank.py` rejects a second count of the same day."
    )
    (told,) = contents(made.plan(_held(before)), Category.KEY_FACT)
    assert "printer" in told
    assert "gateway" not in told
