"""What was found out, reviewed or done elsewhere, over several looks, answers and captures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest

from store.agents.session import Session
from store.capture.candidate import CAPTURED, Candidate, Known, Passed
from store.capture.candidates import candidates_in
from store.capture.checks.surroundings import surroundings
from store.capture.findings.findings import (
    _cause_first,
    _limits,
    _verdict,
    explained,
    findings,
    investigations_in,
)
from store.capture.findings.outside import done_outside
from store.capture.findings.reviews import reviews
from store.capture.requests.request import Request, exchanges_of, requests_of
from tests.store.capture.dialogues import session_of

ASKED = "USER Why does the till lose rows at night?\n"
LOOKS = "BASH grep -n close till.py\n31: close()\nBASH cat bank.py\nx\nBASH cat queue.py\ny\n"
FOUND = (
    "The root cause is in `till.py:31`: `close()` drops the queue before it is flushed, because"
    " the lease ends first. Rows that were taken since then are lost, as `take()` never writes"
    " them again."
)
WHERE = (
    "The issue is in `till.py:31`: `close()` drops the queue at night, and `take()` of `queue.py`"
    " reads the rows of it anew in the morning for the bank, which sums them twice for its day."
)
EDIT = "EDIT {}\n-a\n+b\n"

Read = Callable[[Session, Sequence[Request], Known], Iterable[Candidate | Passed]]


def _findings(
    session: Session, requests: Sequence[Request], known: Known
) -> Iterable[Candidate | Passed]:
    return findings(session, investigations_in(session, requests), known)


def _read(read: Read, text: str, known: Known = Known()) -> list[Candidate | Passed]:  # noqa: B008
    session = session_of(text)
    return list(read(session, requests_of(exchanges_of(session)), known))


def _told(read: Read, text: str, known: Known = Known()) -> list[str]:  # noqa: B008
    found = _read(read, text, known)
    return [it.content if isinstance(it, Candidate) else it.reason.kind for it in found]


DONE = (
    "Restarted `nginx` on the server of the shop, so that the new limit of 40 rows in a page is"
    " read by it."
)
OUTSIDE = (
    "USER Limit the rows of a page to 40\nBASH ssh shop systemctl restart nginx\nok\n"
    f"BASH ls\na\nBASH gh secret set ROWS --body 40\nok\nAGENT I am at it.\nAGENT {DONE}\n"
)
REVIEW = (
    "USER Review the changes of the till\nBASH git diff main\nx\nBASH git log -3\ny\nBASH ls\nz\n"
    "AGENT - `till.py:12` loses rows at night, because the lock of the queue is still missing\n"
    "- `queue.py:3` leaks a lease when it fails, which nobody gives back until the morning\n"
)


@pytest.mark.parametrize(
    ("read", "text", "lines"),
    [
        (_findings, f"{ASKED}{LOOKS}AGENT {FOUND}\n", (4, 6, 8)),
        (done_outside, OUTSIDE, (4, 8)),
        (reviews, REVIEW, (4, 6)),
    ],
)
def test_what_was_captured_with_all_its_looks_is_not_told_again(
    read: Read, text: str, lines: tuple[int, ...]
) -> None:
    session = session_of(text)
    marks = {step.call.line: session.marks([step])[0] for step in session.steps}
    assert len(_read(read, text)) == 1 and isinstance(_read(read, text)[0], Candidate)
    own = frozenset(marks[line] for line in lines)
    (passed,) = _read(read, text, Known(marks=own))
    assert isinstance(passed, Passed) and passed.reason == CAPTURED
    for line in lines:
        (found,) = _read(read, text, Known(marks=own - {marks[line]}))
        assert isinstance(found, Candidate)
    (found,) = _read(read, text, Known(marks=frozenset(marks.values()) - own))
    assert isinstance(found, Candidate)
    assert set(found.marks) == (own if read is not _findings else {marks[lines[-1]]})


def test_a_finding_stands_where_it_was_told_and_rests_on_the_last_look() -> None:
    text = f"{ASKED}{LOOKS}AGENT {FOUND}\nAGENT That is all of it.\n"
    (found,) = _read(_findings, text)
    assert isinstance(found, Candidate)
    assert found.content == f"{FOUND}\nAsked: Why does the till lose rows at night?"
    assert (found.line, found.passage, found.summary) == (10, FOUND, FOUND)
    session = session_of(text)
    assert found.marks == session.marks(session.steps[-1:])


RECIPE = "To flush it by hand:\n\n```sh\ntill flush\n```\n"


@pytest.mark.parametrize(
    ("said", "tail"),
    [
        (f"{FOUND}\nAGENT {RECIPE}", "\nTo flush it by hand: `till flush`"),
        (f"{RECIPE}\nAGENT {FOUND}\n", ""),
        (f"{FOUND}\n\n{RECIPE}", "\nTo flush it by hand: `till flush`"),
    ],
)
def test_a_finding_is_told_with_what_the_last_message_says_to_run(said: str, tail: str) -> None:
    (told,) = _told(_findings, f"{ASKED}{LOOKS}AGENT {said}")
    assert told == f"{FOUND}{tail}\nAsked: Why does the till lose rows at night?"


WORTH = FOUND.replace("root cause", "place")


@pytest.mark.parametrize(
    ("found", "after", "told"),
    [
        (FOUND, EDIT.format("till.py"), "since"),
        (WORTH, EDIT.format("till.py"), "since"),
        (WHERE, EDIT.format("till.py"), "mended-since"),
        (WHERE, EDIT.format("cart.py"), "as it is"),
        (WHERE, 'REFUSED Edit {"file_path": "till.py"}\nno\n', "as it is"),
        (WHERE, "BASH cat till.py\nx\n", "as it is"),
    ],
)
def test_what_was_found_and_mended_since_is_told_where_it_says_why_or_how_things_are(
    found: str, after: str, told: str
) -> None:
    later = f"USER Then mend it in the till, please do that\n{after}AGENT Ok.\n"
    first = _told(_findings, f"{ASKED}{LOOKS}AGENT {found}\n{later}")[0]
    if told == "mended-since":
        assert first == told
    else:
        assert first.startswith(f"{found}\nAsked: Why does")
        assert first.endswith("\nChanged since, in this session: till.py") is (told == "since")


def test_the_files_that_changed_since_are_named_up_to_four() -> None:
    names = ("till.py", "bank.py", "cart.py", "rows.py", "shop.py")
    found = f"{FOUND} So do {', '.join(f'`{name}`' for name in names)}."
    edits = "".join(EDIT.format(f"src/{name}") for name in (*names, names[0]))
    asked = f"{EDIT.format('till.py')}{ASKED}{LOOKS}AGENT {found}\n"
    text = f"{asked}USER Mend all of the shop\n{edits}AGENT Ok.\n"
    told = next(it for it in _told(_findings, text) if "root cause" in it)
    listed = ", ".join(f"src/{name}" for name in names[:4])
    assert told.endswith(f"\nChanged since, in this session: {listed}")


def test_what_was_found_before_a_change_explains_it_unless_it_goes_on_at_once() -> None:
    def lines(text: str) -> list[int]:
        session = session_of(text)
        requests = requests_of(exchanges_of(session))
        return [line for line, _ in explained(investigations_in(session, requests), requests)]

    found = f"{ASKED}{LOOKS}AGENT {FOUND}\n"
    assert lines(found) == [10]
    assert lines(f"{found}{EDIT.format('till.py')}AGENT Ok.\n") == []
    assert lines(f"{found}USER ok, do it\n{EDIT.format('till.py')}AGENT Ok.\n") == []
    mended = f"USER Mend the sums of the bank in the till\n{EDIT.format('bank.py')}AGENT Ok.\n"
    assert lines(found + mended) == [10]
    assert lines(found + mended + f"{ASKED}{LOOKS}AGENT {FOUND}\n") == [10, 26]
    went_on = f"{found}USER ok, do it\n{EDIT.format('till.py')}AGENT Ok, as you like.\n"
    (told,) = _read(_findings, went_on)
    assert isinstance(told, Candidate)
    assert told.marks == session_of(went_on).marks(session_of(went_on).steps[2:3])


def test_what_is_changed_below_the_sessions_folder_ends_an_investigation_wherever_that_is() -> None:
    change = 'CALL Edit {"file_path": "/tmp/shop/till.py", "old_string": "a"}\nok\n'
    text = f"{ASKED}{LOOKS}AGENT {FOUND}\nUSER ok, do it\n{change}AGENT Ok.\n"
    for folder, count in (("/tmp/shop", 1), ("/tmp/other", 2)):
        session = session_of(text)._replace(folder=folder)
        (asked,) = investigations_in(session, requests_of(exchanges_of(session)))
        assert len(asked.exchanges) == count


def test_a_plan_that_was_pasted_is_no_question() -> None:
    plan = (
        "# Plan: Why rows are lost\n\n## Context\n\nThe till loses rows at night, which is wrong."
    )
    for asked, count in ((f"USER {plan}\n\n## Steps\n\n1. Read `till.py`.\n", 0), (ASKED, 1)):
        session = session_of(f"{asked}{LOOKS}AGENT {FOUND}\n")
        assert len(investigations_in(session, requests_of(exchanges_of(session)))) == count


def test_what_a_change_told_does_not_explain_the_next() -> None:
    text = (
        f"USER Mend the queue of the till\n{EDIT.format('till.py')}AGENT {FOUND}\n"
        f"USER Print the rows of the queue in blue\n{EDIT.format('till.py')}"
        f"{EDIT.format('cart.py')}"
        "AGENT `till.py` prints the rows of the queue in blue, before it is flushed.\n"
    )
    found = candidates_in(session_of(text), Known(), (), is_over=True)
    told = "\n".join(it.content for it in found if isinstance(it, Candidate))
    assert told.count("The root cause is in") == 1


def test_a_finding_begins_with_its_cause() -> None:
    how = "The till reads `rows.db` at six. The bank sums `rows.db` at eight."
    cause = (
        "Sums differ because `sum()` in `till.py:31` rounds each of the lines by itself at night."
    )
    (told,) = _told(_findings, f"{ASKED}{LOOKS}AGENT {how} {cause} `bank.py` has no such lines.\n")
    assert told.startswith(f"{cause} {how}")


ANSWER = "No, that is common. The bank is the truth, since `till.py` may lose its sums."
DIFFER = "USER Is it wrong that the sums differ?\n"


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (f"BASH ls\na\n{DIFFER}AGENT {ANSWER}\n", True),
        (f"{DIFFER}AGENT {ANSWER}\n", False),
        (f"BASH ls\na\n{DIFFER}AGENT {ANSWER}\nUSER ok, go on\nAGENT {ANSWER}\n", False),
        (f"BASH ls\na\n{DIFFER}AGENT {ANSWER} Which of them do you prefer?\n", False),
        (f"BASH ls\na\nUSER Sort the sums\nAGENT {ANSWER}\n", False),
    ],
)
def test_a_question_is_answered_at_once_where_it_is_not_talked_over(
    text: str, is_told: bool
) -> None:
    assert any("common" in it for it in _told(_findings, text)) is is_told


LIMIT = "Servers do not allow more than 500 rows in a page."
SERVERS = [f"Server `s{at}` never answers in less than {at + 2} seconds." for at in range(4)]
ALSO = "The header `X-Rows` is only sent by the newer ones of them."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{LIMIT} {ALSO}", f"{LIMIT} {ALSO}"),
        (f"It does not take more than that at once, of rows. {LIMIT} {ALSO}", f"{LIMIT} {ALSO}"),
        (
            "It does not take more of `rows` than that. It is only sent by newer ones of `rows`.",
            "",
        ),
        (LIMIT, ""),
        (f"{LIMIT} A client never gets more rows than it asked for.", ""),
        (f"{LIMIT} {ALSO} {' '.join(SERVERS)}", f"{LIMIT} {ALSO} {' '.join(SERVERS[:2])}"),
    ],
)
def test_of_limits_at_least_two_and_at_most_four_are_told_from_where_they_stand_alone(
    text: str, told: str
) -> None:
    assert _limits(text) == told


def test_what_an_answer_comes_to_stands_below_its_last_word() -> None:
    keep = "Keep `queue.py`: it is read by all tills and has the tests of the shop."
    more = [
        f"The file `f{at}.py` is only used by the import, and can go with it." for at in range(4)
    ]
    assert _verdict(f"I read both.\n\n## Verdict\n{keep} {more[0]}\n") == f"{keep} {more[0]}"
    assert _verdict(f"**Recommendation:** {keep} {' '.join(more)}") == " ".join((keep, *more[:3]))
    assert _verdict("## Verdict\nKeep `queue.py`, as all tills read it.") == ""
    assert _verdict(f"{keep} {more[0]}") == ""


def test_why_comes_first_where_it_comes_late() -> None:
    how = ["The till reads `rows`.", "The bank sums them.", "The cart has none."]
    why = "Sums differ because `sum()` rounds."
    assert _cause_first(" ".join((*how, why))) == " ".join((why, *how))
    for told in ((how[0], why, *how[1:]), (why, *how), how, (*how, "This is because it rounds.")):
        assert _cause_first(" ".join(told)) == " ".join(told)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (OUTSIDE, True),
        (OUTSIDE + f"USER Now sort the rows of the till\n{EDIT.format('a.py')}AGENT Ok.\n", True),
        (OUTSIDE.replace("BASH ls\na\n", EDIT.format("a.py")), False),
        (OUTSIDE.replace("BASH ls\na\n", "WRITE /../../../tmp/a.py\nx\n"), True),
        (OUTSIDE.replace("BASH ssh", "FAILS ssh").replace("BASH gh", "FAILS gh"), False),
        (OUTSIDE.replace("BASH ssh", "FAILS ssh"), True),
        (OUTSIDE.replace("ssh shop", "ls && ssh shop"), True),
        (OUTSIDE.replace("`nginx`", "it"), False),
        (OUTSIDE.replace("Limit", "Could you limit").replace("to 40\n", "to 40?\n"), True),
        (OUTSIDE.replace("to 40\n", "to 40?\n"), False),
    ],
)  # fmt: skip
def test_what_was_done_elsewhere_is_told_where_no_file_was_changed(
    text: str, is_told: bool
) -> None:
    assert bool(_told(done_outside, text)) is is_told


def test_an_answer_in_a_review_beside_another_change_is_done_elsewhere_all_the_same() -> None:
    only = "USER Limit the rows of a page to 40\nBASH {}\nok\nAGENT " + DONE + "\n"
    review = "gh api repos/shop/pulls/7/comments -X POST -f body=ok"
    assert _told(done_outside, only.format(review)) == []
    assert _told(done_outside, only.format(f"{review} && gh secret set ROWS --body 40"))


STATED = "The sandbox cannot write `.git/FETCH_HEAD`, so a fetch needs the network of the host."


@pytest.mark.parametrize(
    ("step", "is_told"),
    [
        ("FAILS git fetch origin\ndenied\n", True),
        ("BASH git fetch origin\nok\n", False),
        ('REFUSED Read {"file_path": "a.py"}\ndenied\n', False),
        ('REFUSED Bash {"command": "git fetch origin"}\ndenied\n', True),
        ("FAILS git fetch origin\ndenied\nBASH ls\na\n", True),
    ],
)
def test_surroundings_are_what_was_said_at_a_command_that_failed(step: str, is_told: bool) -> None:
    text = f"USER Bring the till up to date\n{step}AGENT Now then. {STATED}\n"
    found = list(surroundings(session_of(text)))
    assert bool(found) is is_told
    if found:
        assert (found[0].content, found[0].summary) == (f"{STATED}\nAt: `git fetch origin`", STATED)
        assert found[0].line == (8 if "BASH ls" in text else 6)


def test_a_script_of_the_moment_is_not_named_as_the_command() -> None:
    text = f"USER Bring the till up to date\nFAILS ./fetch.sh origin\ndenied\nAGENT {STATED}\n"
    (found,) = surroundings(session_of(text))
    assert found.content == STATED


def test_the_same_of_two_commands_is_told_once_at_the_first() -> None:
    text = "".join(
        f"FAILS {command} origin\ndenied\nAGENT {STATED}\n" for command in ("git fetch", "git pull")
    )
    (found,) = surroundings(session_of(f"USER Bring the till up to date\n{text}"))
    assert found.content.endswith("At: `git fetch origin`")
    assert len(found.marks) == 1
