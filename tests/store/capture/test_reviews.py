"""Reviews: which files they saw, what they found, for whom, and whether it was mended since."""

from __future__ import annotations

import pytest

from store.capture.candidate import Candidate, Known, Passed
from store.capture.findings.reviews import is_review, reviews
from store.capture.requests.request import exchanges_of, requests_of
from store.model import Category
from tests.store.capture.dialogues import session_of

FIRST = "`till.py:12` loses rows at night, because the lock of the queue is still missing"
SECOND = "`queue.py:3` leaks a lease when it fails, which nobody gives back until the morning"
LIST = f"- {FIRST}\n- {SECOND}\n"
STAT = "BASH git diff --stat main\n shop/till.py  | 12 ++++\n docs/a.png | Bin 0 -> 9\n"
MORE = "BASH git show --stat HEAD~1\n shop/queue.py |  3 +-\n shop/till.py  | 1 +\n"
DIFF = "BASH git diff main\n+ x\n"
ASKED = "USER Review the changes of the till\n"


def _reviews(text: str) -> list[Candidate | Passed]:
    session = session_of(text)
    return list(reviews(session, requests_of(exchanges_of(session)), Known()))


def _told(text: str) -> list[str]:
    return [it.reason.kind if isinstance(it, Passed) else it.content for it in _reviews(text)]


def test_the_files_of_all_looks_are_listed_once() -> None:
    (told,) = _told(f"{ASKED}{STAT}{MORE}{STAT}AGENT {LIST}")
    assert told == (
        f"Reviewed 3 changed files:\n- {FIRST}\n- {SECOND}\nAsked: Review the changes of the till"
        "\nFiles: shop/till.py, docs/a.png, shop/queue.py"
    )
    (told,) = _told(f"{ASKED}{STAT.replace('BASH', 'FAILS')}{MORE}AGENT {LIST}")
    assert told.endswith("\nFiles: shop/queue.py, shop/till.py")
    (told,) = _told(f"{ASKED}BASH cat a\n shop/a.py | 3 +\n{DIFF}AGENT {LIST}")
    assert told.startswith("Review found:\n- ") and "Files: " not in told


def test_a_review_stands_at_its_last_words_and_rests_on_its_looks() -> None:
    text = f"{ASKED}BASH ls\na\n{STAT}{MORE}AGENT I look.\nAGENT {LIST}"
    (found,) = _reviews(text)
    assert isinstance(found, Candidate)
    session = session_of(text)
    assert found.marks == session.marks(session.steps[1:])
    assert (found.category, found.line) == (Category.CODE_CHANGE, 12)
    assert found.summary.startswith(f"Reviewed 3 changed files: {FIRST}")
    assert found.passage.startswith("- `till.py:12`")


BRIEF = "You are a code reviewer. Your task is to review the changes.\n\n## Task\nReview the till."


def test_who_was_given_a_review_by_a_program_is_not_told_what_was_asked() -> None:
    (told,) = _told(f"USER {BRIEF}\n{DIFF}AGENT {LIST}")
    assert told == f"Review found:\n- {FIRST}\n- {SECOND}"


@pytest.mark.parametrize(
    ("edited", "outcome"),
    [
        ("", "Review found"),
        ("EDIT shop/till.py\n-a\n+b\n", "mended-since"),
        ("EDIT shop/cart.py\n-a\n+b\n", "Review found"),
        ('REFUSED Edit {"file_path": "shop/till.py"}\nno\n', "Review found"),
    ],
)
def test_a_review_of_which_half_the_files_were_changed_since_is_over(
    edited: str, outcome: str
) -> None:
    later = f"USER Mend that in the till, please do\n{edited}AGENT Ok.\n"
    assert _told(f"{ASKED}{DIFF}AGENT {LIST}{later}")[0].startswith(outcome)
    third = "- `bank.py:9` never rounds the sum of a receipt, which is wrong by a cent each night\n"
    assert _told(f"{ASKED}{DIFF}AGENT {LIST}{third}{later}")[0].startswith("Review found")
    before = f"{edited}{ASKED}{DIFF}AGENT {LIST}"
    assert _told(f"USER Mend the sums of the shop\n{before}")[0].startswith("Review found")


@pytest.mark.parametrize(
    ("looks", "said", "outcome"),
    [
        ("BASH git diff\n+ x\n", LIST, "uncommitted"),
        ("BASH git diff\n+ x\nBASH git show HEAD\n+ x\n", LIST, "Review found"),
        ("BASH git diff HEAD~2\n+ x\n", LIST, "Review found"),
        ("BASH git log -3\n+ x\n", LIST, "Review found"),
        ("BASH gh pr diff 7\n+ x\n", LIST, "Review found"),
        (DIFF, f"I found no issues in it.\n\n{LIST}", "nothing-found"),
        (
            DIFF,
            "Rows are lost at night, as the lock is missing there, and that is wrong. " * 3,
            "Review",
        ),
        (
            DIFF,
            f"{'All is as it was in the till of the shop. ' * 10}\n\nNo issues found.\n\n{LIST}",
            "Review found",
        ),
    ],
)
def test_what_is_found_in_commits_is_told(looks: str, said: str, outcome: str) -> None:
    assert _told(f"{ASKED}{looks}AGENT {said}")[0].startswith(outcome)


def test_the_reports_that_a_review_wrote_are_named_once_and_scratch_files_are_not() -> None:
    def end(said: str) -> str:
        (told,) = _told(f"{ASKED}{DIFF}CALL Task {{}}\n{said}\nAGENT {LIST}")
        return told.rpartition("Review the changes of the till")[2]

    wrote, scratch = "Saved to `docs/b.md`, and saved to `docs/b.md`.", "Written to `/tmp/a.md`."
    assert end(wrote) == "\nReport: docs/b.md"
    assert end(f"{scratch} {wrote} Created it in c.md.") == "\nReport: docs/b.md, c.md"
    assert end(scratch) == ""


def test_each_request_for_a_review_is_one() -> None:
    text = (
        f"{ASKED}{DIFF}AGENT {LIST}USER Now review the changes of the bank, too\n{DIFF}"
        f"AGENT {LIST.replace('till', 'bank').replace('queue', 'coins')}"
    )
    assert len(_told(text)) == 2


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        (f"{ASKED}{DIFF}AGENT {LIST}", True),
        (f"{ASKED}{DIFF}", False),
        (f"USER Look at the till of the shop\n{DIFF}AGENT {LIST}", False),
        (f"{ASKED}{DIFF}EDIT a.py\n-a\n+b\nAGENT {LIST}", False),
        (f"{ASKED}{DIFF}WRITE /../../../tmp/a.py\nx\nAGENT {LIST}", True),
        (f"{ASKED}{DIFF}AGENT `till.py` fails.", False),
        (f"{ASKED}BASH ls\na\nBASH cat a\nb\nBASH cat b\nc\nAGENT {LIST}", True),
        (f"{ASKED}BASH ls\na\nBASH cat a\nb\nAGENT {LIST}", False),
        (f"{ASKED}BASH ls\na\nBASH cat a\nb\nBASH cat b\nc\nAGENT - {FIRST}\n", False),
        (f"{ASKED}{DIFF}AGENT {LIST}AGENT Ok.", False),
    ],
)
def test_a_review_looks_at_a_difference_or_long_at_more_and_changes_nothing(
    text: str, is_so: bool
) -> None:
    session = session_of(text)
    assert is_review(requests_of(exchanges_of(session))[0], session.folder) is is_so
    assert any(isinstance(it, Candidate) for it in _reviews(text)) is is_so
