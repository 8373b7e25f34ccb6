"""Which words tell a change: what was done, summed up, committed or announced, and why it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from store.capture.changes.before import Before
from store.capture.changes.change import Change
from store.capture.changes.change_text import Telling, telling_of
from store.capture.changes.changes import _changes
from store.capture.requests.request import exchanges_of, requests_of
from store.capture.steps.edited_files import changes_among, touched_files
from store.text.content_words import content_words
from tests.store.capture.dialogues import session_of

ASKED = "USER Mend the sums of the till\n"
EDIT = "EDIT till.py\n-sum(lines)\n+round(sum(lines, cents), coins)\n"
SINCE = "`till.py` rounds the sum once, since the bank refused sums that were off by a cent."
DID = "`till.py` rounds the sum of lines once."
CALLS = "Sums of `till.py` are read by the bank at night."
LET_ME = "AGENT Let me round the sum of all lines once:\n"
COMMIT = "BASH git commit -m 'Round sums once'\nok\n"
FAILED = COMMIT.replace("BASH", "FAILS")


def _changes_of(text: str) -> list[Change]:
    session = session_of(text)
    files = changes_among(touched_files(session), session)
    return _changes(requests_of(exchanges_of(session)), files, session.folder)


def _tell(
    text: str,
    accounts: Mapping[str, str] | None = None,
    explained: Sequence[tuple[int, str]] = (),
    said: Sequence[str] = (),
) -> Telling | None:
    (change,) = _changes_of(text)
    return telling_of(change, Before(accounts or {}, [content_words(it) for it in said], explained))


def _told(text: str, accounts: Mapping[str, str] | None = None) -> Telling:
    told = _tell(text, accounts)
    assert told is not None
    return told


@pytest.mark.parametrize(
    ("text", "accounts", "account", "line"),
    [
        (f"{ASKED}{EDIT}AGENT {DID}\n", {}, DID, 6),
        (f"{ASKED}{LET_ME}{EDIT}AGENT {DID}\n{COMMIT}", {"till.py": "Added it"}, DID, 8),
        (f"{ASKED}{LET_ME}{EDIT}{COMMIT}", {"till.py": "Added `round()`"}, "Added `round()`", 0),
        (f"{ASKED}{LET_ME}{EDIT}{COMMIT}", {"bank.py": "Added it"}, "Round sums once", 0),
        (f"{ASKED}{LET_ME}{EDIT}{FAILED}", {}, "Round sums once", 0),
        (f"{ASKED}{LET_ME}{EDIT}", {}, "round the sum of all lines once", 0),
        (f"{ASKED}{EDIT}", {}, "", 0),
        (f"{ASKED}{EDIT}AGENT {DID}\nUSER ok\nAGENT {CALLS}\n", {}, DID, 6),
        (
            f"{ASKED}{EDIT}AGENT {DID}\nUSER ignore case in it\n{EDIT}"
            "AGENT `till.py` folds the names of its lines before it sums them.\n",
            {},
            f"{DID} `till.py` folds the names of its lines before it sums them.",
            6,
        ),
    ],
)
def test_a_change_is_told_by_what_was_said_of_it_else_by_the_next_best(
    text: str, accounts: dict[str, str], account: str, line: int
) -> None:
    told = _told(text, accounts)
    assert (told.account, told.where.line if told.where else 0) == (account, line)
    assert told.from_commit is (account == "Round sums once" and COMMIT in text)


def test_the_last_request_of_a_change_says_what_was_committed() -> None:
    text = f"{ASKED}{EDIT}{COMMIT}USER ignore case in it\n{EDIT}"
    assert _told(text).account == ""
    assert _told(text + COMMIT.replace("Round", "Fold")).account == "Fold sums once"


FAULT = "The sum of `till.py` is rounded for each of the lines, which loses cents."
PROBLEM = f"AGENT ## Problem\n{FAULT}\n"
WRONG = "The sum of the till is not the sum of its lines at night."
CAUSE = "The sum is off because `till.py` rounds each of the lines."
ROOT = "The root cause is in `till.py`: lines of `sum()` are rounded with cents and coins."
NEEDED = "The sums of all tills must be rounded once, as banks do not take more than cents."
STEPS = "Number the tills of all shops from one to nine, in all of their receipts."


def _plan(why: str) -> str:
    return f"USER # Plan: Round sums\n\n## Context\n\n{why}\n\n## Steps\n\n1. Edit `till.py`.\n"


@pytest.mark.parametrize(
    ("text", "why", "is_planned"),
    [
        (f"{ASKED}{EDIT}AGENT {SINCE}\n", "", False),
        (f"{ASKED}AGENT {CAUSE}\n{EDIT}AGENT {DID}\n", CAUSE, False),
        (f"{ASKED}{PROBLEM}{EDIT}AGENT {DID}\n", FAULT, True),
        (f"{ASKED}{EDIT}{PROBLEM}{EDIT}AGENT {DID}\n", "", False),
        (f"{ASKED}{PROBLEM}AGENT {CAUSE}\n{EDIT}AGENT {DID}\n", CAUSE, False),
        (f"USER {WRONG} Please mend it.\n{EDIT}AGENT {DID}\n", WRONG, True),
        (f"USER {WRONG} Please mend it.\n{EDIT}AGENT {SINCE}\n", "", False),
        (f"USER {WRONG} Please mend it.\nAGENT {CAUSE}\n{EDIT}AGENT {DID}\n", CAUSE, False),
        (f"{_plan(NEEDED)}AGENT {CAUSE}\n{EDIT}AGENT {DID}\n", NEEDED, True),
        (f"{_plan(STEPS)}AGENT {CAUSE}\n{EDIT}AGENT {DID}\n", CAUSE, False),
        (f"{_plan(STEPS)}{EDIT}AGENT {SINCE}\n", "", False),
        (f"{_plan(STEPS)}{EDIT}AGENT {DID}\n", STEPS, True),
    ],
)
def test_why_it_was_made_is_told_by_a_plan_else_what_was_found_or_is_wrong(
    text: str, why: str, is_planned: bool
) -> None:
    told = _told(text)
    assert (told.why, told.is_planned) == (why, is_planned)


def test_what_was_found_out_before_goes_before_a_cause_and_after_a_plan() -> None:
    for text, why in (
        (f"{ASKED}{EDIT}AGENT {DID}\n", ROOT),
        (f"{ASKED}AGENT {CAUSE}\n{EDIT}AGENT {DID}\n", ROOT),
        (f"{_plan(NEEDED)}{EDIT}AGENT {DID}\n", NEEDED),
    ):
        told = _tell(text, explained=[(1, ROOT)])
        assert told is not None and (told.why, told.is_planned) == (why, True)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (f"USER do it\n{EDIT}", False),
        (f"USER do it\n{EDIT}AGENT {DID}\n", True),
        (EDIT, True),
        (f"USER Does the till round its sums?\n{EDIT}", False),
        (f"USER fix both of them there too\n{EDIT}", False),
        (f"USER sort these names again by rows\n{EDIT}", True),
        (f"USER fix the lint errors\n{EDIT}AGENT Fixed the typos of `till.py`.\n", False),
        (f"USER fix the linter's lint errors\n{EDIT}AGENT {SINCE}\n", True),
    ],
)
def test_a_change_of_which_a_person_said_nothing_is_not_told(text: str, is_told: bool) -> None:
    assert (_tell(text) is not None) is is_told


def test_what_is_left_of_an_account_that_was_told_is_told_where_it_says_enough() -> None:
    text = f"{ASKED}{EDIT}AGENT {DID} {{}}\n"
    assert _tell(text.format(""), said=(DID,)) is None
    assert _tell(text.format("`bank.py` too."), said=(DID,)) is None
    told = _tell(text.format("`bank.py` sums cents of the clerk."), said=(DID,))
    assert told is not None and told.account == "`bank.py` sums cents of the clerk."
