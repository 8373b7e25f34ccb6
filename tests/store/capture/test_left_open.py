"""What a session leaves open and done, by who spoke last, what waits and what fails."""

from __future__ import annotations

import json

import pytest

from store.capture.candidate import Candidate
from store.capture.handoff import handoff, left_open
from store.capture.requests.request import exchanges_of, requests_of
from tests.store.capture.dialogues import BEGUN, session_of

ASKED = "USER Close the day of `till.py` at midnight, with the receipts\n"
EDIT = "EDIT till.py\n-a\n+b\n"
LOOK = "BASH ls\na\n"
LEFT = "AGENT The receipts of `till.py` are still missing.\n"
DID = "AGENT Moved the close of `till.py` to midnight, so that no receipt is lost.\n"
FAILS = "FAILS pytest -q\nFAILED tests/test_till.py::test_close - KeyError: 'x'\n"


def _open(text: str) -> list[str]:
    return left_open(session_of(text))


def _note(text: str) -> Candidate | None:
    session = session_of(text)
    return next(handoff(session, requests_of(exchanges_of(session))), None)


def _lines(text: str) -> list[str]:
    note = _note(text)
    return note.content.split("\n") if note else []


def _todo(*entries: tuple[str, str], tool: str = "TodoWrite", key: str = "todos") -> str:
    word = "content" if key == "todos" else "step"
    listed = [{word: text, "status": status} for text, status in entries]
    return f"CALL {tool} {json.dumps({key: listed})}\nok\n"


def test_a_note_has_what_was_asked_done_and_left_and_where() -> None:
    text = f"{ASKED}{EDIT}{DID}USER Print the receipts of the bank, too, in `bank.py`\n{EDIT}{LEFT}"
    note = _note(text)
    assert note is not None
    assert note.content.split("\n") == [
        "Asked: Print the receipts of the bank, too, in `bank.py`",
        "Done: Moved the close of `till.py` to midnight, so that no receipt is lost.",
        "Open: The receipts of `till.py` are still missing.",
        "Where: branch feature/29-locks",
    ]
    assert note.summary == "Open: The receipts of `till.py` are still missing."
    assert (note.line, note.passage) == (12, "The receipts of `till.py` are still missing.")
    assert note.at is not None and (note.at - BEGUN).seconds == 6 * 60
    later = _note(f"{text}{LOOK}{LOOK}")
    assert later is not None and later.at is not None
    assert (later.line, (later.at - BEGUN).seconds) == (12, 8 * 60)


def test_of_several_parts_the_first_is_told_in_short() -> None:
    list_ = _todo(("Print the receipts of the night", "pending"))
    text = f"{ASKED}{list_}{FAILS}{LEFT}"
    assert _open(text) == [
        "Print the receipts of the night",
        "`pytest -q` fails: FAILED tests/test_till.py::test_close - KeyError: 'x'",
        "The receipts of `till.py` are still missing.",
    ]
    note = _note(text)
    assert note is not None and note.summary == "Open: Print the receipts of the night"
    assert [it for it in _lines(text) if it.startswith("Open: ")] == [
        f"Open: {part}" for part in _open(text)
    ]
    same = _todo(("The receipts of `till.py` are still missing.", "pending"))
    assert len(_open(f"{ASKED}{same}{LEFT}")) == 1


@pytest.mark.parametrize(
    ("after", "is_told"),
    [
        (LEFT, True),
        (DID, False),
        (DID + LOOK, True),
        (DID + "USER Print the receipts of `bank.py` by the clock, please\n", True),
        ("AGENT Let me print the receipts of `bank.py` next:\n", True),
        ("", True),
        (FAILS + DID, True),
        (FAILS + EDIT + DID, False),
    ],
)
def test_a_note_is_left_where_the_work_broke_off(after: str, is_told: bool) -> None:
    begun = ASKED + EDIT + _todo(("Print the receipts of the night", "pending"))
    assert (_note(begun + after) is not None) is is_told


def test_a_review_leaves_no_note() -> None:
    found = (
        "AGENT Findings:\n- `till.py:3` loses rows, because a lock of the queue is still missing.\n"
        "- `bank.py:9` rounds each line of a receipt, which loses a cent of the sum each night.\n"
    )
    asked = "USER Review the changes of the till\nBASH git diff main\nx\n"
    assert _note(f"{ASKED}{EDIT}{DID}{asked}{found}") is None
    assert _note(f"{asked}{found}{ASKED}{EDIT}{LEFT}") is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{ASKED}{LOOK}{DID}USER How are the receipts of `bank.py` kept?\n", True),
        (f"{ASKED}{LOOK}", True),
        (ASKED, False),
        (f"{ASKED}{LOOK}{DID}USER How are the receipts of `bank.py` kept?\n{LOOK}", False),
        (f"{ASKED}{LOOK}{DID}USER How are the receipts of `bank.py` kept?\n{DID}", False),
        (f"{ASKED}{LOOK}{DID}USER ok, commit it then please\n", False),
        (f"{ASKED}{LOOK}{DID}USER How are the receipts of the bank kept?\n", False),
        (f"{ASKED}{LOOK}{DID}USER why `a.py`?\n", False),
        (
            f"{ASKED}{LOOK}{DID}USER `bank.py` must keep receipts in cents, never in floats.\n",
            False,
        ),
        (f"{ASKED}{DID}USER How are the receipts of `bank.py` kept?\n", True),
        (f"{LOOK}USER How are the receipts of `bank.py` kept?\n", True),
    ],
)
def test_a_message_that_names_something_and_was_not_answered_is_open(text: str, told: bool) -> None:
    found = [it for it in _open(text) if it.startswith("unanswered: ")]
    if text == f"{ASKED}{LOOK}":
        assert found == []  # the session was working on it
    else:
        assert bool(found) is told


ASKS = "Should the receipts of `till.py` be printed in the morning, or dropped by its queue?"


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (ASKS, True),
        (f"{ASKS} I can do both. It is quick.", True),
        (f"{ASKS} I can do both. It is quick. Rows stay. So do sums.", False),
        ("Should it be printed?", False),
        (f"`till.py` is read. {ASKS.replace('`till.py`', 'tills')}", True),
        (ASKS.replace("`till.py`", "tills"), False),
        (f"{ASKS} Should I commit it?", True),
        (f"Is `a.py` read by each of the bank's printers? {ASKS}", True),
    ],
)
def test_the_last_question_of_substance_is_open(last: str, told: bool) -> None:
    found = [it for it in _open(f"{ASKED}{LOOK}AGENT {last}\n") if it.startswith("the agent asked")]
    assert bool(found) is told
    assert not told or "printed in the morning" in found[0]


def test_what_the_agent_waits_for_and_what_it_was_about_to_do_is_open() -> None:
    waits = "I'm waiting for you to name the tills."
    assert _open(f"{ASKED}AGENT {waits} I'll wait for you to pay.") == [
        "waits for you to name the tills"
    ]
    announced = f"{ASKED}AGENT It is read. Let me print the rows of `bank.py` now:"
    assert _open(announced) == ["print the rows of `bank.py` now"]
    assert _open(f"{ASKED}AGENT It is read. Let me print it:") == []


def test_of_many_that_are_left_the_first_four_are_told_once() -> None:
    left = [f"`{name}.py` is still missing." for name in "abcde"]
    told = _open(f"{ASKED}AGENT {' '.join(left)} {left[0]}")
    assert told == [" ".join(left[:4])]
    assert _open(f"{ASKED}AGENT Still open: {left[0]}") == [left[0]]
    assert _open(f"{ASKED}AGENT {left[0]}\nAGENT `b.py` is read.") == []


@pytest.mark.parametrize(
    ("done", "told"),
    [
        (f"{DID}{LEFT}", "Moved the close"),
        (f"{DID}AGENT Read `a.py` and `b.py` for it.\n{LEFT}", "Moved the close"),
        (f"{DID}AGENT Fixed the sum of `bank.py`, which was off.\n{LEFT}", "Fixed the sum"),
        (f"{DID}AGENT `bank.py` sums cents now. {LEFT.removeprefix('AGENT ')}", "`bank.py` sums"),
        (LEFT, ""),
    ],
)
def test_what_is_done_is_what_the_last_account_of_a_deed_tells(done: str, told: str) -> None:
    lines = [it for it in _lines(f"{ASKED}{EDIT}{done}") if it.startswith("Done: ")]
    assert bool(lines) is bool(told)
    assert not told or lines[0].startswith(f"Done: {told}")


TASKS = [("Print the receipts of the night", "pending"), ("Measure the whole till", "in_progress")]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (TASKS, "Print the receipts of the night; Measure the whole till"),
        ([(TASKS[0][0], "completed"), TASKS[1]], "Measure the whole till"),
        ([("Nine char", "pending"), ("Ten chars!", "pending")], "Ten chars!"),
        ([("Run the tests of it", "pending"), ("Commit all of it", "pending")], ""),
    ],
)
def test_what_a_list_leaves_undone_is_open(entries: list[tuple[str, str]], told: str) -> None:
    for tool, key in (("TodoWrite", "todos"), ("update_plan", "plan")):
        text = f"{ASKED}{_todo(('Other things to do', 'pending'))}"
        listed = _todo(*entries, tool=tool, key=key)
        assert "; ".join(_open(f"{text}{listed}")) == told


@pytest.mark.parametrize(("steps", "is_open"), [(24, True), (25, False)])
def test_a_list_is_stale_when_much_was_done_since(steps: int, is_open: bool) -> None:
    listed = _todo(TASKS[0])
    assert bool(_open(ASKED + listed + LOOK * steps)) is is_open
    noted = 'CALL TaskCreate {"subject": "Print the receipts of the night"}\nTask #1 created\n'
    assert bool(_open(ASKED + LOOK + noted + LOOK * steps)) is is_open


def test_tasks_that_were_noted_go_before_a_list() -> None:
    noted = 'CALL TaskCreate {"subject": "Print the receipts of the night"}\nTask #1 created\n'
    unanswered = 'OPEN TaskCreate {"subject": "Sort the receipts of the night"}\n'
    assert _open(ASKED + noted + unanswered + _todo(TASKS[1])) == [TASKS[0][0]]
    closed = 'CALL TaskUpdate {"taskId": 1, "status": "completed"}\nok\n'
    assert _open(ASKED + noted + _todo(TASKS[1]) + closed) == [TASKS[1][0]]


@pytest.mark.parametrize(
    ("after", "is_open"),
    [
        ("", True),
        (LOOK, True),
        ("BASH pytest -q\n3 passed\n", False),
        (EDIT, False),
        ("AGENT That is pre-existing.\n", False),
        ("USER Is that pre-existing?\n", True),
        ('REFUSED Bash {"command": "pytest -q"}\nThe user doesn\'t want to proceed\n', True),
        ('HELPER Bash {"command": "pytest -q"}\n1 failed\n', False),
    ],
)
def test_a_check_that_fails_is_open_until_something_is_done_about_it(
    after: str, is_open: bool
) -> None:
    text = f"{ASKED}AGENT This is unrelated to it.\n{EDIT}{FAILS}{after}"
    assert any("fails: " in it for it in _open(text)) is is_open


def test_only_what_was_said_since_the_last_summary_counts() -> None:
    summary = "SUMMARY Summary: all is well\n"
    assert _open(f"{ASKED}{LEFT}{summary}{LOOK}") == []
    assert _open(f"{ASKED}{LEFT}{summary}{LOOK}{LEFT}") == [
        "The receipts of `till.py` are still missing."
    ]
    note = _note(f"{ASKED}{EDIT}{LEFT}{summary}{_todo(TASKS[0])}")
    assert note is not None
    assert (note.line, note.passage) == (8, TASKS[0][0])
    assert note.content.startswith("Asked: ") and "Done: " not in note.content


DID_IT = "Closed the drawer of `till.py` at midnight, since the clerk leaves then."


def test_a_list_of_which_nothing_was_begun_is_no_note() -> None:
    listed, goes_on = _todo(TASKS[0]), "Let me print the receipts of the till now."
    assert _note(f"{ASKED}{listed}") is None
    assert _note(f"{ASKED}{EDIT}{listed}") is not None
    assert _note(f"{ASKED}{listed}AGENT I have a plan for the till. {goes_on}\n") is None
    assert _note(f"{ASKED}{listed}AGENT {DID_IT} {goes_on}\n") is not None


def test_a_note_without_a_branch_says_no_place_and_names_the_last_request_that_says_what() -> None:
    text = f"{ASKED}{EDIT}{DID}USER now fix both of them there\n{EDIT}{LEFT}"
    session = session_of(text)._replace(branch="")
    (note,) = handoff(session, requests_of(exchanges_of(session)))
    assert note.content.startswith("Asked: Close the day of `till.py` at midnight")
    assert "Where: " not in note.content
    assert not next(handoff(session, [])).content.startswith("Asked: ")
