"""How the parts of what is told of a change are put together: lines, clauses, files and reasons."""

from __future__ import annotations

import pytest

from store.agents.transcript import Message, Speaker
from store.capture.changes.asked import asked_for, is_request, why_asked
from store.capture.changes.before import Before, cause_of
from store.capture.changes.change_layout import (
    _apart,
    _extent,
    _fitting,
    _headline,
    done_of,
    laid_out,
    lead_of,
    named,
)
from store.capture.requests.request import Request
from store.capture.steps.edited_files import EditedFile
from store.capture.steps.tools import Edit
from store.capture.text.grounds import Grounds
from tests.store.capture.tellings import DONE, PROBLEM, WHY, file, step, telling

LEANS = "It was read by the bank at night."
WHERE = "The sums stand in `till.py`."


@pytest.mark.parametrize(
    ("account", "why", "others"),
    [
        (f"{WHY} {DONE}", [WHY], [DONE]),
        (f"{DONE} {WHY} {WHERE}", [WHY], [DONE, WHERE]),
        (
            f"{WHERE} This fails because `sum()` is off.",
            [WHERE, "This fails because `sum()` is off."],
            [],
        ),
        ("This fails because `sum()` is off.", ["This fails because `sum()` is off."], []),
        (
            f"This fails because `sum()` is off. {DONE}",
            ["This fails because `sum()` is off."],
            [DONE],
        ),
        (f"{WHY} {LEANS} {DONE}", [WHY], [LEANS, DONE]),
        (DONE, [], [DONE]),
        ("", [], []),
        (
            "It fails because `sum is off. Rows are kept.",
            [],
            ["It fails because `sum is off.", "Rows are kept."],
        ),
    ],
)
def test_what_says_why_is_told_apart_with_what_it_leans_on(
    account: str, why: list[str], others: list[str]
) -> None:
    assert _apart(account) == (why, others)


def test_where_something_was_wrong_it_is_why_and_what_says_why_right_after_it() -> None:
    wish = "Moved `sum()` so that cents are kept."
    assert _apart(f"{wish} {DONE}")[0] == [wish]
    assert _apart(f"{wish} {PROBLEM} {DONE}")[0] == [PROBLEM]
    after = "Cents were rounded so that tills agree."
    assert _apart(f"{wish} {PROBLEM} {after}")[0] == [PROBLEM, after]
    assert _apart(f"{PROBLEM} {wish}")[0] == [PROBLEM]


@pytest.mark.parametrize(
    ("clauses", "longest", "told"),
    [
        (["Aaa.", "Bbb."], 9, "Aaa. Bbb."),
        (["Aaa.", "Bbb."], 8, "Aaa."),
        (["Aaa;", "Bbb;", "Ccc."], 9, "Aaa; Bbb"),
        (["Aaaa bbbb.", "Ccc."], 7, "Aaaa…"),
        (["Aaa.", "Bbbbb.", "Ccc."], 9, "Aaa."),
        (["Aaaa bbbb.", "C."], 3, "Aa…"),
        ([], 5, ""),
    ],
)
def test_the_first_clauses_that_fit_are_told_whole(
    clauses: list[str], longest: int, told: str
) -> None:
    assert _fitting(clauses, longest) == told


def test_what_was_done_is_told_without_details_and_what_is_cut() -> None:
    detail, cut, test = "Added the import.", "Ran `sum in it.", "Tests: all pass."
    assert done_of(f"{WHY} {detail} {DONE} {cut} {test}") == DONE
    assert done_of(WHY) == ""


PLAN = "Sums of the bank are off by a cent at night. The issue is that `bank.py` rounds lines."


@pytest.mark.parametrize(
    ("account", "why", "is_planned", "lead"),
    [
        (f"{WHY} {DONE}", "", False, WHY),
        (f"{WHY} {DONE}", WHY, True, WHY),
        (f"{WHY} {DONE}", PLAN, True, PLAN),
        (f"{WHY} {DONE}", PLAN, False, f"{PLAN} {WHY}"),
        (f"{WHY} {DONE}", "Cents were kept by nobody.", False, WHY),
        (DONE, "Cents were kept by nobody.", False, "Cents were kept by nobody."),
        (DONE, "", False, ""),
    ],
)
def test_a_plan_leads_else_the_account_with_the_problem_found_before_it(
    account: str, why: str, is_planned: bool, lead: str
) -> None:
    assert lead_of(account, why, is_planned=is_planned) == lead


def test_of_a_long_reason_as_much_is_told_as_says_what_was_wrong() -> None:
    where = [f"Till {number} stands by the door {number} of the shop." for number in range(9)]
    wrong = f"Each of them loses coins of the night, as doors are open {'to the street ' * 9}."
    told = lead_of(DONE, " ".join((*where, wrong)), is_planned=True)
    assert "loses coins" in told and told.endswith("…")
    told = lead_of(DONE, " ".join((wrong, *where, wrong)), is_planned=True)
    assert told.endswith("of the shop.")


A, B, C = file("a.py"), file("b.py", "created"), file("docs/c.md", "deleted")


@pytest.mark.parametrize(
    ("files", "account", "asked", "why", "lines"),
    [
        ([A], f"{WHY} {DONE}", "Mend it", "", [f"Mend it: {WHY}", f"Done: {DONE}", "Files: a.py."]),
        ([A, B], WHY, "Mend it", "", [f"Mend it: {WHY}", "Files: a.py, b.py (new)."]),
        ([A], WHY, "", "", [WHY, "Files: a.py."]),
        ([A], WHY, "Does it fail?", "", [WHY, "Asked: Does it fail?", "Files: a.py."]),
        ([A], WHY, "Mend it. Sort it", "", [WHY, "Asked: Mend it. Sort it", "Files: a.py."]),
        ([A], WHY, WHY.lower(), "", [WHY, "Files: a.py."]),
        ([A], WHY, f"Mend {'x' * 95}", "", [f"Mend {'x' * 95}: {WHY}", "Files: a.py."]),
        ([A], WHY, f"Mend {'x' * 96}", "", [WHY, f"Asked: Mend {'x' * 96}", "Files: a.py."]),
        ([A], DONE, "Print it", "", [f"a.py: {DONE}", "Asked: Print it"]),
        ([A], DONE, "`flush()` `till.py` first", "", [f"a.py: {DONE}"]),
        ([A], "", "Print it", "", ["a.py: Print it."]),
        ([A, B], "", "", "", ["a.py, b.py (new): modified (+2 −0 lines)."]),
        (
            [A, B, C],
            DONE,
            "",
            "",
            [f"a.py, b.py (new) and 1 more: {DONE}", "Files: docs/c.md (deleted)."],
        ),
        (
            [A, B, file("c.py")],
            "Sorted `c.py`.",
            "",
            "",
            ["a.py, b.py (new) and 1 more: Sorted `c.py`."],
        ),
        (
            [A, B, file("c.py", "moved")],
            "Sorted `c.py`.",
            "",
            "",
            ["a.py, b.py (new) and 1 more: Sorted `c.py`.", "Files: c.py (moved)."],
        ),
    ],
)
def test_the_lines_of_a_change(
    files: list[EditedFile], account: str, asked: str, why: str, lines: list[str]
) -> None:
    assert laid_out(files, account, asked, why, is_planned=False) == lines


def test_files_are_named_with_what_became_of_them_and_counted_from_the_third() -> None:
    hows = {"created": "x (new)", "deleted": "x (deleted)", "moved": "x (moved)", "modified": "x"}
    assert {how: named(file("x", how)) for how in hows} == hows
    assert _headline([A]) == "a.py"
    assert _headline([A, B]) == "a.py, b.py (new)"
    assert _headline([A, B, C, A]) == "a.py, b.py (new) and 2 more"


def test_how_much_was_changed_is_told_with_the_names_once() -> None:
    def edited(path: str, *edits: Edit) -> EditedFile:
        return EditedFile(path, [(step(), each) for each in edits])

    one = edited(
        "a.py",
        Edit("a.py", "modified", 3, 1, ("take", "sum")),
        Edit("a.py", "modified", 1, 0, ("sum",)),
    )
    two = edited("b.py", Edit("b.py", "created", 2, 0, ("row", *(f"name{at}" for at in range(9)))))
    assert _extent([one]) == "modified (+4 −1 lines) at take, sum"
    assert _extent([one, two]) == "modified (+6 −1 lines) at take, sum, row, name0, name1, name2"
    assert _extent([two, one]).startswith("created (+6 −1 lines) at row, ")
    assert _extent([edited("a.py", Edit("a.py", "deleted"))]) == "deleted"
    assert _extent([edited("a.py", Edit("a.py", "modified", 0, 2))]) == "modified (+0 −2 lines)"


def _asked(*texts: str) -> list[Request]:
    return [Request(Message(at, Speaker.USER, text, None), ()) for at, text in enumerate(texts)]


BRIEF = "You are a coding agent. Your role is to add up.\n\n## Task\nRound the sums of the tills."


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Sort the names of the index"], "Sort the names of the index"),
        (
            ["Sort the names of the index", "Print the rows of the till"],
            "Sort the names of the index Then: Print the rows of the till",
        ),
        (["Sort the names of the index"] * 2, "Sort the names of the index"),
        (
            ["Is the index sorted by the names?", "Print the rows of the till"],
            "Print the rows of the till",
        ),
        ([BRIEF, "Print the rows of the till"], "Print the rows of the till"),
        ([BRIEF], ""),
        (["fix both of them"], ""),
        ([], ""),
        (
            [f"Sort the {name} of the shop index" for name in ("names", "rows", "lines", "sums")],
            "Sort the names of the shop index Then: Sort the rows of the shop index;"
            " Sort the lines of the shop index",
        ),
    ],
)
def test_what_was_asked_for_is_what_says_by_itself_what(texts: list[str], told: str) -> None:
    assert asked_for(_asked(*texts), Grounds()) == told


def test_a_request_says_three_words_and_is_no_question() -> None:
    assert is_request("Sort names again by rows")
    assert not is_request("Sort names")
    assert not is_request("Sort names again by rows?")


WRONG = "The total of the list is not updated when a row is removed."
ALSO = "The header of the list is missing when the list has no row."


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ([WRONG], WRONG),
        ([f"{WRONG} {ALSO} Prices of the list are lost at night in the till."], f"{WRONG} {ALSO}"),
        (["Sort the names of the index", WRONG], WRONG),
        ([WRONG, ALSO], WRONG),
        ([f"Sort the names of the index. {WRONG}"], WRONG),
        (
            ["Sort the names of the index, because the bank wants them in order"],
            "Sort the names of the index, because the bank wants them in order",
        ),
        (["Don't sort the names of the index of the shop"], ""),
        (["The names of the index are fine, please do not sort them by the shop"], ""),
        (["Fix that the total of the list is not updated at all"], ""),
        ([WRONG.replace(".", "?")], ""),
        ([WRONG.replace(".", ":")], ""),
        (["The total is not updated"], ""),
        (["The total of the list is not updated in"], ""),
        ([f"That is the total which was not updated in the list. {WRONG}"], ""),
        (
            [f"{WRONG} That is the total which was not updated in the list."],
            f"{WRONG} That is the total which was not updated in the list.",
        ),
        ([BRIEF + WRONG], ""),
        ([], ""),
    ],
)
def test_what_a_person_says_is_wrong_is_why(texts: list[str], told: str) -> None:
    assert why_asked(_asked(*texts), Grounds()) == told
    assert why_asked([Request(None, ()), *_asked(*texts)], Grounds()) == told


FOUND = "The root cause is in `till.py`: `close()` drops rows of the queue at night."
ELSE = "The `till.py` of the bank reads `queue.db` before `lease()` was taken by it."


def test_what_was_found_out_before_a_change_of_its_files_is_its_cause_once() -> None:
    change = telling("shop/till.py", steps=(step(9),)).change
    other = telling("shop/cart.py", steps=(step(9),)).change

    def cause(*explained: tuple[int, str], account: str = "", words: str = "") -> str:
        before = Before({}, [], explained)
        assert before.cause(other, Grounds(), "") == ""
        told = before.cause(change, Grounds(frozenset(words.split())), account)
        assert told == "" or before.cause(change, Grounds(), account) != told
        return told

    assert cause((8, FOUND)) == FOUND
    assert cause((9, FOUND)) == ""
    later = ELSE.replace("bank", "shop")
    assert cause((5, ELSE), (8, later)) == later
    assert cause((5, FOUND), (8, ELSE)) == FOUND
    assert cause((8, FOUND), account="It keeps rows of the queue of a night in `close()`.") == FOUND
    assert cause((8, FOUND), account="Printed the logo in colours.") == ""
    assert cause((8, FOUND), words="root caus drop row queu") == FOUND
    assert cause((8, FOUND), words="root caus drop row") == ""
    assert cause() == ""


def test_of_two_that_are_found_the_second_change_is_told_the_other() -> None:
    change = telling("shop/till.py", steps=(step(9),)).change
    before = Before({}, [], [(5, FOUND), (6, ELSE)])
    told = [before.cause(change, Grounds(), "") for _ in range(3)]
    assert sorted(told) == ["", ELSE, FOUND]
    two = telling("shop/till.py", "shop/cart.py", steps=(step(9),)).change
    assert Before({}, [], [(5, FOUND)]).cause(two, Grounds(), "") == FOUND


def test_an_account_of_which_half_was_told_tells_the_other_half() -> None:
    sort, print_, keep = (
        "Sorted names of the index.",
        "Printed rows in blue.",
        "Kept cents of tills.",
    )
    for account, news in (
        (f"{sort} {print_}", print_),
        (f"{sort} {print_} {keep}", f"{sort} {print_} {keep}"),
        (f"{print_} {sort.replace('.', ';')}", print_.rstrip(".") + "."),
        (sort, ""),
    ):
        before = Before({}, [])
        assert before.news(sort) == sort
        assert before.news(account) == news


def test_a_cause_that_came_up_when_most_was_done_is_of_the_step_at_hand() -> None:
    slip = "`sum()` of `till.py` fails because it has no argument for cents."
    for lines, at, told in (
        ((2, 4, 6, 20), 10, ""),
        ((2, 4, 12, 20), 10, slip),
        ((2, 4, 20), 10, slip),
        ((2, 4, 6, 16, 17, 20), 10, slip),
        ((2, 4, 6, 20), 1, slip),
    ):
        change = telling("till.py", steps=tuple(map(step, lines))).change
        said = [Message(at, Speaker.AGENT, slip, None)]
        assert cause_of(change, said, lambda _: True) == told
        root = [Message(at, Speaker.AGENT, slip.replace("fails", "fails (the root cause)"), None)]
        assert cause_of(change, root, lambda _: True)
    assert cause_of(telling("till.py").change, [], lambda _: True) == ""
