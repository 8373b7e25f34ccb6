"""What is left out, since git, the code, or another memory of the session tells it."""

from __future__ import annotations

import pytest

from store.agents.formats import read_session
from store.capture.checks.commands import kind_of
from store.capture.decisions.pasted_plans import plan_statements
from store.capture.handoff import left_open
from store.capture.requests.request import title_of
from store.capture.requests.rulings import is_readable
from store.capture.text.accounts import closing_account, tells_why
from store.model import Category, Observation
from tests.store.capture.transcripts import ClaudeCode, contents

_EDIT: dict[str, object] = {"old_string": "a", "new_string": "total = sum(cents)"}


def _edit(made: ClaudeCode, name: str) -> ClaudeCode:
    return made.call("Edit", {"file_path": f"{made.cwd}/{name}", **_EDIT})


def test_a_change_without_a_reason_stands_with_one_that_has_it() -> None:
    made = _edit(ClaudeCode().user("Mend the rounding of the till totals"), "till.py")
    made.agent("`till.py` sums cents now, because rounding each line was off by one.")
    _edit(made.user("Add a header to the printed receipts of the shop"), "receipt.py")
    made.agent(
        "Added `print_header()` to `receipt.py`, with the name of the shop, the street that it is"
        " in, its telephone number, the hours in which it opens, and a rule of dashes below them."
    )
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.startswith("Mend the rounding of the till totals: `till.py` sums cents now")
    assert told.endswith("\nAlso changed: receipt.py.")


@pytest.mark.parametrize(("told", "files"), [(1, 3), (2, 3), (3, 5), (4, 6)])
def test_a_change_of_files_told_before_is_left_where_they_are_two_of_three(
    told: int, files: int
) -> None:
    names = [f"shop/till{number}.py" for number in range(files)]
    made = ClaudeCode().user("Tidy the till")
    for name in names:
        _edit(made, name)
    made.agent("The till is tidied: each line is rounded once, and the sum stands below them.")
    before = f"Rounded once.\nFiles: {', '.join(names[:told])}."
    held = Observation("engineer", 29, Category.CODE_CHANGE, before, id="a", session_id="other")
    assert bool(contents(made.plan((held,)), Category.CODE_CHANGE)) == (told / files < 2 / 3)


def test_what_a_test_checks_is_no_account_beside_what_was_done() -> None:
    told = closing_account(
        "- `till.py`: `total()` sums cents, because floats were off\n"
        "- `test_total_of_three_lines` - checks that three lines are summed\n"
        "- Added 4 unit tests for `total()` in `test_till.py`\n"
        "- `make check`: all 47 tests"
    )
    assert told == "`till.py`: `total()` sums cents, because floats were off"


@pytest.mark.parametrize(
    "comment",
    [
        "The `total()` function has a performance issue: it reads every line of the cart twice.",
        "Linear scan O(n*m) in till.py - should use a map",
        "The entry point `CheckTill` lacks test coverage. What should be tested: closed tills.",
    ],
)
def test_a_comment_on_code_is_nobodys_ruling(comment: str) -> None:
    assert not is_readable(comment)
    assert is_readable(f"We never do that: {comment}")


def test_a_plan_is_told_by_its_heading_without_the_state_of_the_checkout() -> None:
    plan = (
        "A previous agent produced the plan below to accomplish the user's task. Implement the plan"
        " in a fresh context. Treat the plan as what the user wants, read files again where needed,"
        " and carry the work through implementation and verification.\n\n"
        "# Tills in Cents\n\n## Summary\n\nKeep all totals of the till as integer cents."
        " Plan Mode forbids edits.\n\n"
        "## Assumptions\n\n- Untracked folders stay.\n"
        "- Cents never leave `bank.py` as a float of ours.\n"
    )
    assert title_of(plan) == "Tills in Cents"
    assert list(plan_statements(plan)) == [
        (Category.DECISION, "Plan: Tills in Cents. Keep all totals of the till as integer cents."),
        (
            Category.DECISION,
            "Assumptions (Tills in Cents): Cents never leave `bank.py` as a float of ours.",
        ),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Please show help:\n```\nann@host ~/w (x) [1]> brew a\n```", ""),
        (
            "Please show help like brew:\nann@host ~/w (x) [1]> brew a\nbrew b",
            "Show help like brew",
        ),
        ("ann@host ~/w % go test\nok\n\nPlease pass on Linux, too.", "Pass on Linux, too."),
    ],
)
def test_what_was_typed_asks_not_what_a_terminal_printed(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("can't we change those functions to take a CartId here?", False),
        ("can you use a match statement instead of linked ifs?", True),
        ("we never keep totals as floats in here", True),
    ],
)
def test_a_question_about_a_step_is_no_lesson(said: str, *, is_told: bool) -> None:
    refused = f"The user doesn't want to proceed. the user said:\n{said}"
    made = (
        ClaudeCode()
        .user("Round prices")
        .call("Edit", {"file_path": "/home/someone/shop/cart.py", **_EDIT}, refused, failed=True)
    )
    assert bool(contents(made.plan(), Category.LESSON)) is is_told


def test_why_something_was_mended_is_no_lesson_of_its_own() -> None:
    cause = "The root cause is that `total()` in till.py rounds each line instead of the sum."
    made = ClaudeCode().user("Why is the till off?").agent(cause)
    assert contents(made.plan(), Category.LESSON)
    assert contents(_edit(made, "till.py").plan(), Category.LESSON) == []


def test_a_program_that_ran_in_another_way_is_told_once() -> None:
    made = ClaudeCode().user("Lint the till")
    made.call("Bash", {"command": "golangci-lint run"}, "bash: golangci-lint: command not found",
              failed=True)  # fmt: skip
    assert contents(made.plan(), Category.KEY_FACT)
    made.call("Bash", {"command": "mise exec -- golangci-lint run"}, "ok")
    assert contents(made.plan(), Category.KEY_FACT) == []


def test_a_bare_word_deploys_nothing() -> None:
    assert kind_of("deploy") == ""
    assert kind_of("npm run deploy") == "Deploy"


def test_what_a_pull_request_waits_for_leaves_nothing_open() -> None:
    said = "Semgrep: passed on PRs #2 and #4; still pending on #1 and #3."
    made = ClaudeCode().user("Mend the till").agent(f"{said} `till.py` still needs a test.")
    session = read_session(f"{line}\n".encode() for line in made.lines)
    assert left_open(session) == ["`till.py` still needs a test."]


def test_a_long_review_that_says_nothing_wrong_is_none() -> None:
    good = "The code of `till.py` is well made and reads well, with clear names throughout. "
    made = ClaudeCode().user("Review the changes of this branch")
    made.call("Bash", {"command": "git diff main"}, "+ total")
    praise = made.agent(good * 14 + "The sums in `till.py` never go below zero.").plan()
    assert contents(praise, Category.CODE_CHANGE) == []


def test_a_trouble_that_was_one_of_the_tests_teaches_nothing() -> None:
    def told(trouble: str) -> list[str]:
        text = f"Errors and fixes:\n- {trouble}"
        made = ClaudeCode().user(text, isCompactSummary=True)
        return contents(made.plan(), Category.ERROR)

    cause = "Totals off by one: `total()` does not sum cents, it rounds each of the lines."
    assert told(f"{cause} Fixed by summing cents.")
    assert told(f"{cause} Fixed by changing the test setup.") == []


def test_what_was_made_in_another_way_is_no_trouble() -> None:
    def told(trouble: str) -> list[str]:
        made = ClaudeCode().user(f"Errors and fixes:\n- {trouble}", isCompactSummary=True)
        return contents(made.plan(), Category.ERROR)

    how = "`total()` was rewritten after the import was there, so that it only reads well."
    assert told(f"Task #7 - switched from `if` to `match`: {how}") == []
    assert told(f"Totals switched from cents to a float: {how}")


def test_what_was_undone_tried_out_or_never_told_is_no_change() -> None:
    told = "`till.py` is written, with `total()` in it, because floats were off by one."
    made = _edit(ClaudeCode().user("Write the till of the shop"), "till.py").agent(told)
    _edit(made.user("Drop that: the bank has totals"), "bank.py").bash("git rm till.py")
    (change,) = contents(
        made.agent("`bank.py` sums cents, since the till is gone.").plan(), Category.CODE_CHANGE
    )
    assert "`bank.py` sums cents" in change
    assert "is written" not in change

    note: dict[str, object] = {"file_path": "/home/someone/shop/secret.txt", "content": "tok_1"}
    tried = ClaudeCode().user("Write a test credential").call("Write", note, "File created")
    assert contents(tried.agent("`secret.txt` holds it.").plan(), Category.CODE_CHANGE) == []
    assert contents(ClaudeCode().user("fix it").edit("till.py").plan(), Category.CODE_CHANGE) == []
    assert contents(ClaudeCode().edit("till.py").plan(), Category.CODE_CHANGE)


def test_how_far_a_pull_request_is_is_no_account() -> None:
    told = (
        "Comment posted for a fresh review. Keep the branch as it is."
        " `total()` sums cents, since floats were off."
    )
    assert closing_account(told) == "`total()` sums cents, since floats were off."


def test_what_is_printed_lints_nothing() -> None:
    assert kind_of("printf 'lint configs'") == ""


def test_a_fact_that_stands_alone_says_what_must_be() -> None:
    def told(*facts: str) -> list[str]:
        text = "Key Technical Concepts:\n" + "".join(f"- {each}\n" for each in facts)
        made = ClaudeCode().user(text, isCompactSummary=True)
        return contents(made.plan(), Category.KEY_FACT)

    lines = "`touched`: holds the lines of the cart while it is open, cleared after it is paid"
    assert told(lines) == []
    rule = "`make check` is required before each of the commits of this shop, on all branches"
    assert told(rule) == [rule]
    assert told(lines, rule) == [f"{lines}\n{rule}"]


def test_a_plan_and_the_change_that_carries_it_out_are_one_memory() -> None:
    plan = (
        "Implement this plan:\n\n# Tills in Cents\n\n## Context\n\nThe bank rounds the sum of a"
        " receipt, and the till rounds each of its lines.\n\n## Steps\n\n1. Edit `till.py`.\n"
    )
    made = _edit(ClaudeCode().user(plan), "till.py")
    captured = made.agent("Added `total()` to `till.py` and called it in `receipt()`.").plan()
    (change,) = contents(captured, Category.CODE_CHANGE)
    assert change.startswith("Tills in Cents: The bank rounds the sum of a receipt")
    assert contents(captured, Category.DECISION) == []
    assert contents(ClaudeCode().user(plan).plan(), Category.DECISION)


def test_ways_to_go_on_are_no_account() -> None:
    done = "`total()` sums cents, since floats were off by one."
    menu = "\n\n1. Parallel: open a new `till` session\n\n2. Here: go on in `till.py`\n\nWhich one?"
    assert closing_account(done + menu) == done
    assert "Parallel" in closing_account(done + menu.removesuffix("\n\nWhich one?"))


@pytest.mark.parametrize(
    ("told", "is_reason"),
    [
        ("`a.py` is `b.py` now: `total()` → `sum()`", False),
        ("Added `total()`, which must be given cents", False),
        ("The problem: `total()` was handed floats", True),
        ("Banks send floats, so the till was off", True),
        ("`total()` takes cents, so that no line is off", True),
    ],
)
def test_what_is_and_was_is_no_reason(told: str, *, is_reason: bool) -> None:
    assert tells_why(told) is is_reason


def test_what_failed_in_what_was_just_changed_teaches_nothing() -> None:
    def told(made: ClaudeCode) -> list[str]:
        made.bash("pytest", "E   AssertionError: 3 != 4\n1 failed", failed=True)
        made.agent("The total is off because `till.py` rounds each line.").edit("till.py")
        return contents(made.bash("pytest", "1 passed").plan(), Category.ERROR)

    assert told(ClaudeCode().user("Mend the till"))
    assert told(ClaudeCode().user("Write the till").edit("till.py")) == []


def test_a_plan_that_only_names_a_review_has_no_why() -> None:
    plan = "# Plan for tills\n\n## Summary\n\nFix all issues identified in the review of tills.\n"
    assert list(plan_statements(plan + "\n## Steps\n\n1. Do.\n")) == []
    assert is_readable("The current way silently overwrites the totals of tills.") is False


def test_a_list_of_what_was_done_is_left_to_git_where_it_was_committed() -> None:
    def told(commit: str, reason: str = "") -> list[str]:
        made = ClaudeCode().user("Add the receipts of the till").edit("till.py")
        made.bash(commit, "[main 1] Add receipts")
        done = (
            "- Added `print_header()` to `till.py`\n- Added `print_lines()` to `till.py`\n"
            "- Added `print_total()` to `till.py`\n- Added `print_footer()` to `till.py`\n"
            "- Called all four of them in `print_receipt()` of `till.py`, in that order\n"
        )
        return contents(made.agent(f"{done}{reason}").plan(), Category.CODE_CHANGE)

    assert told("ls")
    assert told("git commit -m 'Add receipts'") == []
    assert told(
        "git commit -m 'Add receipts'", "\n`print_total()` is last, because banks sum the lines."
    )


def test_a_change_without_a_reason_of_files_that_memory_names_is_left_to_git() -> None:
    def told(done: str, held: tuple[Observation, ...], *files: str) -> list[str]:
        made = ClaudeCode(session="s-2").user("Round the totals of the till, and of the bank")
        for file in files:
            made.edit(file)
        return contents(made.agent(done).plan(held), Category.CODE_CHANGE)

    before = ClaudeCode().user("Sum cents").edit("till.py").agent("`till.py` sums cents.").plan()
    held = tuple(each.observation for each in before.kept)
    done = "`till.py` calls `round()` on what `total()` returns, and on each of its lines."
    assert told(done, (), "till.py")
    assert told(done, held, "till.py") == []
    assert told(done, held, "till.py", "bank.py", "cart.py") == []
    why = "The bug was that banks send floats to `total()`, so that `till.py` was off."
    assert told(f"{why} {done}", held, "till.py")


def test_where_a_fault_is_does_not_say_which_it_is() -> None:
    made = (
        ClaudeCode()
        .user("Mend the sum of the till")
        .agent("The issue is in the `total()` function in `till.py:120`.")
    )
    done = made.edit("till.py").agent("`till.py` sums cents in `total()`, so that none is lost.")
    (told,) = contents(done.plan(), Category.CODE_CHANGE)
    assert "Why:" not in told


def test_why_a_plan_is_made_leads_the_change_unless_it_says_what_is_done() -> None:
    def told(context: str) -> str:
        plan = f"# Plan: Number the tills\n\n## Context\n\n{context}\n\n## Steps\n\n1. Edit.\n"
        made = ClaudeCode().user(plan).edit("till.py")
        made.agent("`till.py` numbers tills from one, because the bank does.")
        assert contents(made.plan(), Category.DECISION) == []
        (change,) = contents(made.plan(), Category.CODE_CHANGE)
        return change

    done = "Number the tills of all shops from one to nine, in all of their receipts."
    assert "because the bank does" in told(done).partition("\n")[0]
    why = "Number the tills of all shops from one, since banks do not know a till nought."
    assert told(why).startswith(f"Number the tills: {why}")


@pytest.mark.parametrize("said", ["hmm, is that so? we should look", "let's drop this word here"])
def test_a_remark_on_a_text_or_in_passing_is_no_lesson(said: str) -> None:
    refused = f"The user doesn't want to proceed. the user said:\n{said}, it is said twice here"
    made = (
        ClaudeCode()
        .user("Write it down")
        .call("Edit", {"file_path": "/home/someone/shop/README.md", **_EDIT}, refused, failed=True)
    )
    assert contents(made.plan(), Category.LESSON) == []


def test_what_a_person_remarked_teaches_where_it_says_how_it_is_to_be() -> None:
    def told(feedback: str) -> list[str]:
        text = f"Errors and fixes:\n- User feedback on tills: {feedback}"
        return contents(ClaudeCode().user(text, isCompactSummary=True).plan(), Category.LESSON)

    assert told("said to prefer integers of cents for all totals")
    assert told('said "one space more" for lines, changed from two to three') == []
    assert told("rejected the first way of it, said tills should stand apart") == []


def test_what_a_plan_required_of_its_own_work_is_told_by_the_change() -> None:
    plan = (
        "# Plan: Number the tills\n\n## Requirements\n\nThe till must not be numbered from nought,"
        " and never twice.\n\n## Out of scope\n\nTills of other shops are not numbered by us.\n"
    )
    made = ClaudeCode().user(plan)
    assert len(contents(made.plan(), Category.DECISION)) == 2
    made.edit("till.py").agent("`till.py` numbers tills from one, because the bank does.")
    (told,) = contents(made.plan(), Category.DECISION)
    assert told.startswith("Out of scope")


@pytest.mark.parametrize(
    ("said", "step", "is_told"),
    [
        ("the same way for tills and banks, as simple as it can be made", "ExitPlanMode", False),
        ("keep the totals in cents rather than floats", "ExitPlanMode", True),
        ("only do number 3, the others never matter", "ExitPlanMode", False),
        ("put it on the line above, where the other totals stand now", "Edit", False),
        ("never keep totals as floats anywhere in this shop", "Edit", True),
    ],
)
def test_where_a_line_is_to_stand_is_no_lesson(said: str, step: str, *, is_told: bool) -> None:
    refused = f"The user doesn't want to proceed. the user said:\n{said}"
    given: dict[str, object] = {"file_path": "/home/someone/shop/till.py", **_EDIT}
    made = ClaudeCode().user("Round").call(step, given, refused, failed=True)
    assert bool(contents(made.plan(), Category.LESSON)) is is_told


def test_what_an_agent_did_that_was_given_its_part_is_kept_for_its_reason_alone() -> None:
    brief = "You are till-fix on the shop team. You mend tills. You work in till/ only. Go on."

    def told(account: str) -> list[str]:
        made = _edit(ClaudeCode().user(brief), "till.py").agent(account)
        return contents(made.plan(), Category.CODE_CHANGE)

    assert told("Added `total()` and `print_header()` to `till.py`, and called both of them.") == []
    (kept,) = told("`total()` sums cents, because floats were off by one in `till.py`.")
    assert "Asked" not in kept and "because floats were off" in kept
    made = ClaudeCode().user(brief).agent("We decided to sum cents, because floats were off by one")
    (told_of,) = contents(_edit(made, "till.py").plan(), Category.DECISION)
    assert "Changed in this session: till.py" in told_of


@pytest.mark.parametrize(
    "said",
    [
        "I can open the board at once, then I'll use a made-up row since `till.py` saves nothing.",
        "The board in `till.py` shows an error because saving is intentionally disabled there, but"
        " that's still enough to verify the rows of `board.py`.",
    ],
)
def test_how_something_is_tried_out_is_no_decision(said: str) -> None:
    assert contents(ClaudeCode().user("Show the board").agent(said).plan(), Category.DECISION) == []


def test_a_first_change_of_how_a_page_looks_is_seen_there() -> None:
    def told(account: str) -> list[str]:
        made = _edit(ClaudeCode().user("Do it like the picture"), "till.py").agent(account)
        return contents(made.plan(), Category.CODE_CHANGE)

    assert (
        told("The border of the header is thin, its padding small, and its icon in `till.py`.")
        == []
    )
    assert told("The rows of the night are summed in `till.py`, one after the other.")


def test_what_a_person_says_and_rules_nothing_is_no_decision() -> None:
    said = (
        "Tills keep the lease in one place, while the store and the bank each have their own table."
        " Currently the tills write their rows to the table of the bank, which is read at night."
    )
    ruled = f"{said} We keep the lease in one table, since both need it, never in two."

    def told(text: str) -> list[str]:
        made = ClaudeCode().user(text).bash("cat till.py", "a").agent("Done.")
        return contents(made.plan(), Category.DECISION)

    assert told(said) == []
    assert len(told(ruled)) == 1
