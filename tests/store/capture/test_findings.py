from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_FOUND = (
    "The root cause: `lease.take` in `queue.py:31` was introduced in `dfba5083`, which writes the"
    " lease after it is told. Two workers read the old one in between, so that a job runs twice."
)


def _looked() -> ClaudeCode:
    made = ClaudeCode().user("Why does the queue run a job twice?")
    return (
        made.bash("git log -3", "dfba5083").bash("git show dfba5083", "+ x").bash("ls", "queue.py")
    )


def test_what_was_found_out_without_changing_anything_is_a_fact() -> None:
    assert contents(_looked().agent(_FOUND).plan(), Category.KEY_FACT) == [
        f"{_FOUND}\nAsked: Why does the queue run a job twice?"
    ]


def test_neither_a_thought_nor_what_led_to_a_change_is_a_finding() -> None:
    thought = _looked().agent(f"Wait, that is not it. {_FOUND}")
    assert not contents(thought.plan(), Category.KEY_FACT)
    changed = _looked().edit("queue.py").agent(_FOUND)
    assert not contents(changed.plan(), Category.KEY_FACT)


def test_a_request_that_gives_its_reasons_settles_them() -> None:
    asked = "write into the manual that the warning is only switched off by a flag because:\n"
    reasons = "1. the first setup stays short\n2. a flag can be counted"
    made = (
        ClaudeCode().user(asked + reasons).agent("Here is the text for the manual, as you asked.")
    )
    (decision,) = contents(made.plan(), Category.DECISION)
    assert "only switched off by a flag because" in decision and "can be counted" in decision


def _told(asked: str, answer: str) -> list[str]:
    made = ClaudeCode().user(asked)
    for name in ("till", "cart", "bank"):
        made.call("Read", {"file_path": f"{made.cwd}/{name}.py"}, "…")
    return contents(made.agent(answer).plan(), Category.KEY_FACT)


_WHY = (
    "The root cause is in `till.py`: `total()` rounds each line, because `bank.py` sends cents as a"
    " float. `cart.py` never sees it, so its sums are off by one cent for three lines and more."
)


def test_why_it_is_so_is_a_finding_and_how_it_is_made_is_none() -> None:
    assert len(_told("Why is the total off?", _WHY)) == 1
    made = (
        "`till.py` holds `total()`, which adds the lines. `bank.py` has `send()` and `take()`, and"
        " `cart.py` only keeps the lines. There is one test for each of them, and two for `take()`."
    )
    assert _told("How do totals work?", made) == []


def test_what_a_review_or_a_plan_came_to_is_no_finding() -> None:
    assert _told("Review this change for security. till.py", _WHY) == []
    assert _told("Implement the till in a fresh context.", _WHY) == []
    plan = f"# Plan for the till\n\n## Summary\n\n{_WHY}\n\n## Assumptions\n\n- Cents stay whole."
    assert _told("Research the till, then plan it. What is there?", plan) == []


def test_a_finding_begins_with_why() -> None:
    answer = (
        "- `till.py` calls `total()` for each of the lines that the cart has.\n"
        "- `bank.py` takes what `total()` returns and sends it on as it is.\n\n"
        "The sum is off because `total()` in `till.py` rounds each of the lines by itself."
    )
    (told,) = _told("Why is the total off?", answer)
    assert told.startswith("The sum is off because")
    assert told.count("The sum is off") == 1


def test_a_question_is_answered_by_one_look_where_work_is_not() -> None:
    answer = (
        "There's the issue: `till.py` opens `totals.db` of the shop alone, and never looks at the"
        " one of the bank, even though `bank.py` writes all totals there after each of the days."
    )
    made = ClaudeCode().user("Why does the till show no totals?")
    made.call("Read", {"file_path": f"{made.cwd}/till.py"}, "…")
    assert len(contents(made.agent(answer).plan(), Category.KEY_FACT)) == 1
    made = ClaudeCode().user("Find the totals of the till.")
    made.call("Read", {"file_path": f"{made.cwd}/till.py"}, "…")
    assert contents(made.agent(answer).plan(), Category.KEY_FACT) == []


def test_what_was_found_and_then_changed_is_told_by_the_change() -> None:
    def told(answer: str, category: Category) -> list[str]:
        made = ClaudeCode().user("Why is the total off in `till`?")
        for name in ("till", "cart", "bank"):
            made.call("Read", {"file_path": f"{made.cwd}/{name}.py"}, "…")
        made.agent(answer).user("Then sum cents in it").edit("till.py")
        return contents(made.agent("`till.py` sums cents.").plan(), category)

    (kept,) = told(_WHY, Category.CODE_CHANGE)
    assert "The root cause is in" in kept
    assert told(_WHY, Category.KEY_FACT) == []
    assert told(_WHY.replace("The root cause is in", "It stands in"), Category.KEY_FACT) == []


def test_who_says_that_it_is_found_tells_why_whatever_was_asked() -> None:
    answer = (
        "**Found the actual bug!**\n\nThe hook calls `os.getcwd()`, the folder of whoever called"
        " it. Files beside that folder begin with `..` in `till.py`, and are never booked."
    )
    (told,) = _told("This run booked all sums of the week.", answer)
    assert "are never booked" in told


_LIMITS = (
    "Here is how it stands.\n\n- The printer service only takes receipts of 40 lines by `push()`.\n"
    "- Its queue does not tell when a receipt was printed.\n- Paper comes in two sizes."
)


def test_what_was_looked_up_outside_the_project_is_kept_with_its_limits() -> None:
    made = ClaudeCode().user("Could receipts go through the printer service?")
    made.bash("curl https://printer.example/docs", "…").bash("ls", "…").bash("ls docs", "…")
    assert contents(made.agent(_LIMITS).plan(), Category.KEY_FACT) == [
        "The printer service only takes receipts of 40 lines by `push()`."
        " Its queue does not tell when a receipt was printed.\n"
        "Asked: Could receipts go through the printer service?"
    ]


def test_what_an_answer_comes_to_is_kept() -> None:
    answer = (
        "### What it touches\n\n- The till\n- The bank\n\n### Verdict\n\n"
        "Printing receipts is a phase of its own, since `bank.py` knows no paper and no printer.\n"
    )
    (told,) = _told("Are printed receipts enough for a phase?", answer)
    assert told.startswith("Printing receipts is a phase of its own")
    assert _told("Are printed receipts enough for a phase?", answer.replace("Verdict", "Why")) == []


def test_how_the_project_is_made_its_files_tell() -> None:
    assert _told("Could receipts go through the printer service?", _LIMITS) == []


def test_who_asks_why_is_told_whether_or_not_the_agent_looked() -> None:
    made = (
        ClaudeCode()
        .user("Why do we need `TILL_URL` to see a till?")
        .agent(
            "Because the window and the till have other origins: `till.py` serves at 3000, and the"
            " window asks its own origin for `/till`, where no `TILL_URL` tells it otherwise."
        )
    )
    assert len(contents(made.plan(), Category.KEY_FACT)) == 1


@pytest.mark.parametrize(
    "asked",
    ["Summarize what we changed, and what is left open.", "Recap: what did we do in the till?"],
)
def test_what_the_session_itself_did_is_no_finding(asked: str) -> None:
    assert _told(asked, _WHY) == []


def test_what_git_lets_one_do_is_no_finding() -> None:
    answer = (
        "We can amend `dfba5083` here, but not on `origin/main`, because the host of `shop` blocks"
        " force-pushes to it. Once that is allowed, `--force-with-lease` will do for `dfba5083`."
    )
    assert _told("Why does it say I wrote the last commit? Can it be changed?", answer) == []


def test_what_is_recommended_is_told() -> None:
    told = (
        "`queue.take()` in shop/queue.py:31 never reads two rows of a table at once, and the import"
        " in shop/load.py:9 waits for all of them. Recommendation: read rows of a till together."
    )
    looked = ClaudeCode().user("How should the rows be read?")
    for name in ("queue", "load", "rows"):
        looked.bash(f"cat shop/{name}.py", "...")
    (found,) = contents(looked.agent(told).plan(), Category.KEY_FACT)
    assert found.startswith(told)


_AT_ONCE = "No, that is common. The bank is the truth, since `till.py` may lose its sums."


def _told_at_once(*said_before: str) -> list[str]:
    """What is kept of a question where the two say something more before it is answered."""
    made = ClaudeCode().user("Rename `sum`").bash("git mv sum.py total.py", "").agent("Renamed.")
    made = made.user("Is it wrong that the sums differ?")
    for at, each in enumerate(said_before):
        made = made.user(each) if at % 2 else made.agent(each)
    return contents(made.agent(_AT_ONCE).plan(), Category.KEY_FACT)


def test_what_is_answered_at_once_is_kept_and_what_was_talked_over_is_not() -> None:
    assert _told_at_once() == [f"{_AT_ONCE}\nAsked: Is it wrong that the sums differ?"]
    assert _told_at_once("Let me think about it.", "ok, go on") == []
