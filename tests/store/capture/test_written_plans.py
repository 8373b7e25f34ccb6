"""Plans and records of decisions that a session writes into files, and plans that end it."""

from __future__ import annotations

import pytest

from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_WHY = "The till is opened by two sellers at once, and one of them loses what was booked."
_SETTLED = "A till belongs to one seller, since nobody could say who had booked what."
_PLAN = (
    f"# Plan: One seller a till\n\n## Context\n{_WHY}\n\n## Decision\n{_SETTLED}\n\n## Steps\n1."
)


def _written(path: str, text: str) -> list[str]:
    made = ClaudeCode().user("How should tills be shared? Write that down.")
    made.call("Write", {"file_path": path, "content": text}, "File created successfully")
    return contents(made.agent("It is written down.").plan(), Category.DECISION)


@pytest.mark.parametrize("name", ["docs/adr-004-tills.md", "docs/plans/tills.md", "12-CONTEXT.md"])
def test_what_a_plan_settles_is_kept_with_where_it_stands(name: str) -> None:
    told = f"Decision (One seller a till): {_SETTLED}\nWritten down in {name}."
    assert told in _written(f"/home/someone/shop/{name}", _PLAN)


def test_a_plan_that_a_program_keeps_elsewhere_is_told_without_its_place() -> None:
    told = _written("/home/someone/.claude/plans/a-b.md", _PLAN)
    assert told == [f"Decision (One seller a till): {_SETTLED}"]


def test_another_text_settles_nothing() -> None:
    assert _written("/home/someone/shop/docs/tills.md", _PLAN) == []


def test_what_stands_below_a_heading_without_words_of_its_own_belongs_to_it() -> None:
    text = "# Plan: Tills\n\n## Decisions\n\n### Sellers\n- " + _SETTLED + "\n\n## Steps\n1. Go\n"
    assert _written("/home/someone/shop/docs/plans/tills.md", text) == [
        f"Decisions (Tills): Sellers: {_SETTLED}\nWritten down in docs/plans/tills.md."
    ]


def test_a_text_of_fixed_width_is_told_in_whole_sentences() -> None:
    text = _PLAN.replace(_SETTLED, _SETTLED.replace("had", "\nhad") + " No shift overlaps.")
    (told,) = _written("/home/someone/shop/docs/plans/tills.md", text)
    assert f"{_SETTLED} No shift overlaps." in told


def _left(answer: str) -> list[str]:
    made = ClaudeCode().user("Plan how tills are shared").agent("I looked at `till.py`.")
    made.call("ExitPlanMode", {"plan": _PLAN}, answer, failed=True)
    return contents(made.plan(), Category.DECISION)


def test_a_plan_with_which_a_session_ends_is_kept_unless_it_is_refused() -> None:
    rejected = "The user doesn't want to proceed with this tool use."
    assert _left(rejected) == [
        f"Plan: One seller a till. {_WHY}",
        f"Decision (One seller a till): {_SETTLED}",
    ]
    refused = _left(f"{rejected} the user said:\nNo, a till must never belong to anybody at all")
    assert not any("One seller" in each for each in refused)


_TASK = f"---\ntitle: Let two sellers share a till\n---\n\n## Problem\n\n{_WHY}\n\n## Way\n"


def test_a_task_that_was_put_off_is_kept_with_what_is_wrong_until_it_is_done() -> None:
    path = "/home/someone/shop/todos/pending/share.md"
    made = ClaudeCode().user("Put the sharing of tills off, and write that down.")
    made.call("Write", {"file_path": path, "content": _TASK}, "File created successfully")
    told = f"Let two sellers share a till: {_WHY}\nWritten down in todos/pending/share.md."
    assert contents(made.plan(), Category.TASK) == [told]
    made.bash(f"git mv {path} /home/someone/shop/todos/done/share.md")
    assert contents(made.plan(), Category.TASK) == []


def test_a_plan_that_is_written_and_approved_is_told_once() -> None:
    made = ClaudeCode().user("Plan how tills are shared").agent("I looked at `till.py`.")
    path = "/home/someone/.claude/plans/a-b.md"
    made.call("Write", {"file_path": path, "content": _PLAN}, "File created successfully")
    made.call("ExitPlanMode", {"plan": _PLAN}, "User has approved your plan.")
    told = contents(made.agent("Agreed then.").plan(), Category.DECISION)
    assert sum(_SETTLED in each for each in told) == 1


def test_a_number_of_which_nothing_more_is_told_is_cut_off() -> None:
    rules = f"R1. {_SETTLED} R2. {_WHY} R3. " + "Each seller has a key of their own, " * 12 + "too."
    (told,) = _written("/home/someone/shop/docs/plans/tills.md", _PLAN.replace(_SETTLED, rules))
    assert told.splitlines()[0].endswith(_WHY)


def test_a_plan_that_was_pasted_and_then_written_down_is_kept_once() -> None:
    made = ClaudeCode().user(f"Implement this plan:\n\n{_PLAN}")
    arguments: dict[str, object] = {
        "file_path": "/home/someone/shop/docs/plans/tills.md", "content": _PLAN,
    }  # fmt: skip
    made.call("Write", arguments, "File created successfully")
    (told,) = contents(made.agent("It is written down.").plan(), Category.DECISION)
    assert told.startswith(f"Decision (One seller a till): {_SETTLED}")
