"""How a change is told: why first, then in short what was done, its files last."""

from __future__ import annotations

import pytest

from store.agents.transcript import Message, Speaker
from store.capture.changes.asked import why_asked
from store.capture.changes.change_layout import lead_of
from store.capture.requests.request import Request
from store.capture.text.grounds import Grounds
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

_DID = "`sum_lines` in `till.py` rounds once, since the bank refused sums that were off by a cent."


def _change(asked: str, said: str, *files: str) -> str:
    made = ClaudeCode().user(asked)
    for name in files or ("till.py",):
        made.edit(name)
    (told,) = contents(made.agent(said).plan(), Category.CODE_CHANGE)
    return told


def test_why_comes_before_what_was_done_whatever_came_first() -> None:
    told = _change("Mend the sums of the till", f"- Moved `sum_lines` to `till.py`\n- {_DID}")
    assert told.split("\n") == [
        f"Mend the sums of the till: {_DID}",
        "Done: Moved `sum_lines` to `till.py`.",
        "Files: till.py.",
    ]


@pytest.mark.parametrize(
    "asked",
    [
        "Do you believe the till sums lines right",
        "2 but in the till",
        "I had a quick question about lines of the till, are they summed at night",
        "I'm going to have the till read by somebody else, mend what they find",
        "There are a few comments from Greta on the till that need to be addressed",
        "Couple of comments from Greta to be addressed on the till I think",
        "Seems like the checks of the till are failing on that pr",
        "The type checker is failing on that PR",
    ],
)
def test_what_says_nothing_alone_does_not_say_what_was_asked_for(asked: str) -> None:
    assert _change(asked, _DID) == f"{_DID}\nFiles: till.py."


@pytest.mark.parametrize(
    "asked",
    [
        "Print comments from sellers that the till cuts off",
        "The checks of the till are failing on Windows",
    ],
)
def test_a_fault_that_is_named_says_what_was_asked_for(asked: str) -> None:
    assert asked in _change(asked, _DID)


def test_a_long_request_stands_after_why() -> None:
    asked = "The sums of the till are refused by the bank on most days, please see to it that all"
    told = _change(f"{asked} of them are taken from now until the end of the year", _DID)
    assert told.startswith(f"{_DID}\nAsked: {asked}")


def test_of_many_files_it_is_said_how_many_more_there_are() -> None:
    names = [f"shop/{'long_name_of_a_part' * 3}_{n}.py" for n in range(12)]
    assert _change("Mend the sums of the till", _DID, *names).endswith(" more.")


def test_what_any_change_needs_and_what_is_to_be_tried_is_left_out() -> None:
    said = f"{_DID}\n\n- Added the import of `cents`\n\nTry it again. Re-run the till to see it."
    assert _change("Mend the sums of the till", said).endswith(f"{_DID}\nFiles: till.py.")


def test_of_what_else_was_changed_for_no_reason_the_files_are_named() -> None:
    made = ClaudeCode().user("Mend the sums of the till").edit("till.py").agent(_DID)
    others = {
        "bank": ("show the account in the window", "The window shows `account` at its top."),
        "cart": ("sort the lines of a cart", "Lines are sorted by `name` in the list."),
        "shop": ("print the street on receipts", "Receipts carry `street` and `town`."),
        "tax": ("rename the rate of a country", "The rate is called `vat` in every table."),
    }
    for name, (asked, said) in others.items():
        made.user(asked).edit(f"{name}.py").agent(said)
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.endswith("\nAlso changed: bank.py, cart.py, shop.py, tax.py.")
    assert told.count("\nAlso ") == 1


def test_what_the_agent_says_that_it_found_is_why() -> None:
    made = ClaudeCode().user("The sums of the till are off on most days")
    found = "The bank rounds in `bank.py` what the till has rounded before it."
    made.agent(f"**Found it!**\n\n{found}\n\nLet me round once.").edit("bank.py", "round_all(till)")
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert told.startswith(f"The sums of the till are off on most days: {found}")


def test_what_was_found_out_before_is_why_it_was_changed() -> None:
    made = ClaudeCode().user("Why does the bank refuse the sums of the till?")
    for name in ("till", "bank", "cart"):
        made.call("Read", {"file_path": f"{made.cwd}/{name}.py"}, "…")
    found = (
        "The root cause is in `till.py`: `sum_lines()` rounds each of the lines of a receipt, and"
        " the bank rounds the sum alone. `cart.py` hands both of them the same lines of a receipt."
    )
    made.agent(found).user("ok, then round the sum alone")
    made.edit("till.py", "round(line) for line in lines of the receipt", "round(sum_lines(lines))")
    (told,) = contents(made.agent("It does so now.").plan(), Category.CODE_CHANGE)
    assert "The root cause is in `till.py`: `sum_lines()` rounds each of the lines" in told


def test_a_name_that_was_cut_in_two_is_no_reason() -> None:
    said = "Ran `npm run till. Sums` is wrong because it is old. `sum_lines` in `till.py` adds up."
    made = ClaudeCode().user("Mend the sums of the till").edit("till.py").agent(said)
    (told,) = contents(made.plan(), Category.CODE_CHANGE)
    assert not told.startswith("Mend the sums of the till: Sums`")


def _late(cause: str) -> str:
    """The first line of a change of four tills that is told before the last of them."""
    made = ClaudeCode().user("Let tills of all shops share one drawer")
    for name in ("one", "two", "three"):
        made.edit(f"{name}.py", "drawer = 0", f"drawer = shared_drawer('{name}')")
    made.agent(cause).edit("four.py", "drawer = 0", "drawer = shared_drawer('four')")
    done = "`one.py`, `two.py`, `three.py` and `four.py` share a drawer, so that no coin is lost."
    return contents(made.agent(done).plan(), Category.CODE_CHANGE)[0].partition("\n")[0]


def test_what_came_up_near_the_end_of_a_change_is_not_why_it_was_made() -> None:
    slip = "The problem is that `shared_drawer` is missing where `four.py` calls it."
    assert "missing" not in _late(slip)
    assert "missing" in _late(slip.replace("The problem", "The root cause"))


def test_why_tells_as_much_as_fits_of_what_was_wrong() -> None:
    where = " ".join(f"Till {number} stands by door {number} of the shop." for number in range(8))
    wrong = f"Each of them loses coins at night where the door is left open {'to the street ' * 9}."
    plan = (
        f"# Plan: Count the tills\n\n## Context\n\n{where} {wrong}\n\n## Steps\n\nCount `till.py`."
    )
    told = _change(plan, "Count in `till.py` is done at each door.").partition("\n")[0]
    assert "Each of them loses coins at night" in told
    assert told.endswith("…")


@pytest.mark.parametrize("label", ["F1 — CRITICAL: ", "M2: ", "High – ", "H3 - "])
def test_a_change_is_told_without_its_number_in_a_list(label: str) -> None:
    assert _change("Mend the sums of the till", f"- {label}{_DID}").startswith(
        f"Mend the sums of the till: {_DID}"
    )


def test_what_fails_after_a_change_is_not_why_it_was_made() -> None:
    fails = "`make tills` therefore still fails here, because it reads `drawer.py`."
    assert lead_of(f"{_DID} {fails}", "", is_planned=False) == _DID


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("The sums of the till are still failing at night in all of the shops", True),
        ("The sums of the till are still failing - can we run them here at night", False),
    ],
)
def test_what_is_wrong_is_a_reason_where_nothing_is_asked_for(asked: str, *, is_told: bool) -> None:
    request = Request(Message(1, Speaker.USER, asked), ())
    assert bool(why_asked([request], Grounds())) is is_told


def test_what_might_have_been_done_otherwise_is_not_why() -> None:
    muses = (
        "The till may be too far: if I used `near()`, the drawer would not be found because of it."
    )
    assert lead_of(f"{muses} {_DID}", "", is_planned=False) == _DID
