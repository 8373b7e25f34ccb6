"""Which changes of a session are one, which stand by themselves, and what takes in the others."""

from __future__ import annotations

from typing import Any

import pytest

from store.agents.session import Session, Step
from store.agents.transcript import Message, Snapshot, Speaker
from store.capture.candidate import CAPTURED, UNTOLD, Beside, Candidate, Found, Known, Passed
from store.capture.changes.change import Change
from store.capture.changes.change_text import Telling
from store.capture.changes.changes import (
    _changes,
    _earlier,
    _gathered,
    _is_beside,
    _is_part_of_a_brief,
    _is_told_of,
    _is_undone,
    _of_the_same,
    _only,
    code_changes,
)
from store.capture.requests.request import Request, exchanges_of, requests_of
from store.capture.steps.edited_files import EditedFile, changes_among, touched_files
from store.capture.steps.tools import Edit
from tests.store.capture.dialogues import session_of
from tests.store.capture.tellings import DONE, PROBLEM, WHY, file, step, telling

BIG = f"{PROBLEM} {DONE}"
OTHER = "The bug was that `take()` in `bank.py` never gave a lease back. `bank.py` renews leases."
SMALL = "Sorted the names of `list.py`."


def _paths(found: list[Telling]) -> list[list[str]]:
    return [[it.change.files[0].path for it in (each, *each.small)] for each in found]


def test_what_is_small_stands_with_the_change_before_it_else_with_the_next() -> None:
    first, second = telling("a.py", account=BIG), telling("b.py", account=OTHER)
    smalls = [telling(f"{name}.py", account=SMALL) for name in "vwxyz"]
    v, w, x, y, z = smalls
    assert not first.is_small and not second.is_small and all(it.is_small for it in smalls)
    assert _paths(_gathered([v, w, first, x, y, second, z])) == [
        ["a.py", "v.py", "w.py", "x.py", "y.py"],
        ["b.py", "z.py"],
    ]


def test_where_all_are_small_the_one_that_says_most_takes_the_others() -> None:
    less, most = telling("a.py", account=SMALL), telling("b.py", account=f"{SMALL} {SMALL}")
    assert _paths(_gathered([less, most, less])) == [["b.py", "a.py", "a.py"]]
    assert _paths(_gathered([most, less])) == [["b.py", "a.py"]]
    light, heavy = telling("a.py", account=PROBLEM), telling("b.py", account=f"{SMALL} " * 30)
    assert heavy.weight > light.weight and heavy.is_small and not light.is_small
    assert _paths(_gathered([heavy, light])) == [["a.py", "b.py"]]
    beside = telling("docs/c.md", account=f"{SMALL} " * 4)
    assert _paths(_gathered([beside, less])) == [["a.py", "docs/c.md"]]
    assert _gathered([beside]) == []
    assert _gathered([]) == []


def test_bookkeeping_and_what_was_undone_stand_nowhere() -> None:
    kept = telling("a.py", account=BIG)
    gone = telling(file("b.py", "deleted", at=step(40)), steps=(step(5),), account=OTHER)
    assert _is_undone(gone.change) and not _is_undone(kept.change)
    assert _paths(_gathered([kept, telling(".plans/c.md"), gone])) == [["a.py"]]
    assert not _is_undone(
        telling(file("b.py", "deleted", at=(own := step(5))), steps=(own,)).change
    )
    both = telling(file("b.py", "deleted", at=step(40)), "c.py", steps=(step(5),))
    assert not _is_undone(both.change)


def test_what_says_the_same_of_the_same_sources_is_one() -> None:
    first = telling("bank.py", account=OTHER)
    found = [first, telling("a.py", "b.py", account=BIG)]
    for told, at in (
        (telling("a.py", account=PROBLEM), 1),
        (telling("a.py", "tests/test_a.py", account=PROBLEM), 1),
        (telling("a.py", "c.py", account=PROBLEM), None),
        (telling("a.py", account=OTHER), None),
        (telling("bank.py", account=OTHER), 0),
        (telling("tests/test_a.py", account=PROBLEM), None),
        (telling("a.py", account=PROBLEM, is_planned=True), None),
    ):
        assert _of_the_same(found, told) == at
    assert _of_the_same([], first) is None
    same = [telling("a.py", account=BIG), telling("a.py", account=BIG)]
    assert _of_the_same(same, same[0]) == 0
    assert len(_gathered(same)) == 1


@pytest.mark.parametrize(
    ("files", "told", "is_so"),
    [
        (["till.py"], {}, True),
        (["till.py", "bank.py", "new.py"], {}, True),
        (["till.py", "new.py"], {}, False),
        (["new.py"], {}, False),
        (["till.py"], {"why": "So."}, False),
        (["till.py"], {"account": WHY}, False),
        (["till.py", file("a.py", "created"), "bank.py"], {}, False),
        (["till.py", file("tests/test_a.py", "created"), "bank.py"], {}, True),
    ],
)
def test_what_other_sessions_name_is_told_of_where_no_reason_is(
    files: list[EditedFile | str], told: dict[str, Any], is_so: bool
) -> None:
    known = Known(files="Files: till.py, bank.py.")
    given = {"account": SMALL, **told}
    assert _is_told_of(telling(*files, **given), known) is is_so
    assert not _is_told_of(telling(*files, **given), Known())
    beside = telling("till.py", "bank.py", account=SMALL)
    assert _is_told_of(beside.with_small([telling("new.py", account=SMALL)]), known)
    assert not _is_told_of(beside.with_small([telling("till.py", account=WHY)]), known)


COMMIT = step(7, "git commit -m 'Add it'")
LONG = "Added `print_header()` and `print_lines()` to `till.py`, and called all of them in order. "


@pytest.mark.parametrize(
    ("files", "told", "is_so"),
    [
        (["a.py"], {"account": BIG, "asked": "Round it in `a.py`"}, False),
        (["a.py"], {"account": BIG, "asked": "do that"}, True),
        (["a.py"], {"account": BIG}, False),
        (["a.py", "b.py"], {"account": BIG, "asked": "do that"}, False),
        (["a.md", "b.py"], {"account": BIG, "asked": "do that"}, False),
        (["package.json"], {"account": SMALL}, True),
        ([file("a.txt", "created")], {"account": SMALL}, True),
        ([file("a.txt", "created")], {"account": WHY}, False),
        ([file("a.txt", "created"), "b.py"], {"account": SMALL}, False),
        (["a.py", "b.py"], {"account": LONG * 2, "steps": (COMMIT,)}, True),
        (["a.py", "b.py"], {"account": LONG * 2}, False),
        (["a.py", "b.py"], {"account": SMALL, "steps": (COMMIT,)}, False),
        (["a.py", "b.py"], {"account": "", "steps": (COMMIT,)}, True),
        (["a.py", "b.py"], {"account": LONG * 2, "steps": (COMMIT,), "why": "So."}, False),
        (["a.py", "b.py"], {"account": LONG * 2 + WHY, "steps": (COMMIT,)}, False),
    ],
)
def test_what_makes_no_memory_of_its_own(
    files: list[EditedFile | str], told: dict[str, Any], is_so: bool
) -> None:
    assert _is_beside(telling(*files, **told)) is is_so


BRIEF = "You are a coding agent. Your task is to round the sums.\n\n## Rules\n\n" + "Keep it. " * 60


def test_the_part_of_a_brief_gives_way_to_who_gave_it() -> None:
    mine, given = telling(account=SMALL, asked_by="Round it"), telling(asked_by=BRIEF)
    assert [_is_part_of_a_brief(it) for it in (mine, given)] == [False, True]
    assert not _is_part_of_a_brief(given._replace(why=WHY))
    assert not _is_part_of_a_brief(given._replace(account=WHY))
    requests = (*given.change.requests, *mine.change.requests)
    both = given._replace(change=given.change._replace(requests=requests))
    assert not _is_part_of_a_brief(both)
    unasked = Change((Request(None, ()),), given.change.files, ())
    assert not _is_part_of_a_brief(given._replace(change=unasked))


def _of(text: str) -> tuple[Session, list[Request], list[Change]]:
    session = session_of(text)
    requests = requests_of(exchanges_of(session))
    files = changes_among(touched_files(session), session)
    return session, requests, _changes(requests, files, session.folder)


def _told(changes: list[Change]) -> list[tuple[list[str], list[str], list[int]]]:
    return [
        (
            [r.title for r in it.requests],
            [f.path for f in it.files],
            [s.call.line for s in it.steps],
        )
        for it in changes
    ]


EDIT = "EDIT {}.py\n-a\n+b\n"


def test_what_goes_on_in_files_of_the_change_before_is_one_with_it() -> None:
    text = (
        "USER Sort the names of the index\n"
        + EDIT.format("a")
        + "BASH ls\na\n"
        + EDIT.format("b")
        + "AGENT Sorted.\nUSER ignore case when you sort\n"
        + EDIT.format("b")
        + "AGENT Done.\nUSER Print the rows of a table\n"
        + EDIT.format("b")
        + EDIT.format("c")
        + "AGENT Done.\nUSER What is left?\nAGENT Nothing.\n"
    )
    _, _, changes = _of(text)
    first = "Sort the names of the index"
    assert _told(changes) == [
        ([first, "ignore case when you sort"], ["a.py", "b.py"], [4, 8, 14]),
        (["Print the rows of a table"], ["b.py", "c.py"], [20, 22]),
    ]
    later = changes[0].steps[2:]
    assert _told([_only(changes[0], later)]) == [(["ignore case when you sort"], ["b.py"], [14])]


def test_a_long_request_begins_another_change() -> None:
    for words, count in (("ignore case", 1), ("ignore case, " * 40 + "please", 2)):
        text = (
            "USER Sort the names of the index\n"
            + EDIT.format("a")
            + f"USER {words}\n"
            + EDIT.format("a")
        )
        assert len(_of(text)[2]) == count


def test_a_request_that_says_by_itself_what_it_wants_is_another_change_where_it_was_answered() -> (
    None
):
    asked = "Bound the channel of receipts by a documented capacity of rows, and warn the clerk"
    lines = " ".join(
        f"Receipt channel {at} of `a.py` holds {at}00 rows of a burst." for at in range(9)
    )
    for said, count in ((f"AGENT {lines}\n", 2), ("AGENT Done.\n", 1), ("", 1)):
        text = (
            f"USER Sort the names of the index\n{EDIT.format('a')}USER {asked}\n{EDIT.format('a')}"
        )
        assert len(_of(text + said)[2]) == count


def _found(text: str, known: Known = Known(), *, paths: tuple[str, ...] = ()) -> list[Found]:  # noqa: B008
    session, requests, _ = _of(text)
    if paths:
        session = session._replace(snapshots=(Snapshot(1, paths),))
    return list(code_changes(session, requests, {}, known))


def test_the_report_of_a_review_is_no_change() -> None:
    text = (
        "USER Review the changes of the till\nBASH git diff main\nx\n"
        "CALL Task {}\nReport written to `docs/till.py`.\n"
        "AGENT - `till.py:12` loses rows at night, because the lock of the queue is still missing\n"
        "- `queue.py:3` leaks a lease when it fails, which nobody gives back until the morning\n"
    )
    assert _found(text) == []


TWO = (
    f"USER Mend the till\n{EDIT.format('till')}AGENT {BIG}\n"
    f"USER Mend the bank of the shop\n{EDIT.format('bank')}AGENT {OTHER}\n"
)


def test_what_was_captured_of_a_session_is_not_told_again() -> None:
    session, _, changes = _of(TWO)
    first, second = (session.marks(it.steps) for it in changes)
    told = [it.content.partition(":")[0] for it in _found(TWO) if isinstance(it, Candidate)]
    assert told == ["Mend the till", "Mend the bank of the shop"]
    passed, kept = _found(TWO, Known(marks=frozenset(first)))
    assert passed == Passed("till.py", CAPTURED)
    assert isinstance(kept, Candidate) and kept.content.startswith("Mend the bank of the shop")
    kept, passed = reversed(_found(TWO, Known(marks=frozenset(second))))
    assert passed == Passed("bank.py", CAPTURED)


def test_files_changed_before_the_transcript_begins_are_told_once_with_the_first_change() -> None:
    paths = ("/home/someone/shop/old.py", "/home/someone/shop/till.py", "/tmp/x.py", "/etc/hosts")
    first, second = _found(TWO, paths=paths)
    assert isinstance(first, Candidate) and isinstance(second, Candidate)
    assert first.content.endswith("\nChanged earlier in this session: old.py")
    assert "earlier" not in second.content
    assert _found("USER Hello\nAGENT Hi.", paths=paths) == [Passed("old.py, till.py", UNTOLD)]
    small = f"USER Sort it in `list.py`\n{EDIT.format('list')}AGENT {SMALL}\n"
    (beside,) = _found(small, paths=paths)
    assert isinstance(beside, Beside) and beside.files == ("list.py", "old.py", "till.py")


def test_files_of_snapshots_that_a_change_told_are_not_told_again() -> None:
    names = ("shop/b.py", "shop/a.py", "c.py")
    session = Session(folder="/x", snapshots=(Snapshot(1, names[:2]), Snapshot(2, names)))
    assert _earlier(session, Known(), set(), ()) == ["c.py", "shop/a.py", "shop/b.py"]
    assert _earlier(session, Known(changes=("x", "Files: c.py")), {"shop/a.py"}, ()) == [
        "shop/b.py"
    ]
    assert _earlier(session, Known(), {"web/c.py"}, ()) == ["shop/a.py", "shop/b.py"]


@pytest.mark.parametrize(
    ("said", "known", "alone"),
    [
        ("", Known(), True),
        ("", Known(marks=frozenset({"tool:x"})), False),
        ("BASH git commit -am 'Sort it'\nok\n", Known(), False),
    ],
)
def test_a_first_change_of_a_project_stands_alone_unless_git_has_it(
    said: str, known: Known, alone: bool
) -> None:
    small = f"USER Sort it in `list.py`\n{EDIT.format('list')}{said}AGENT {SMALL}\n"
    (beside,) = _found(small, known)
    assert isinstance(beside, Beside)
    assert beside.stands_alone is alone


def test_a_step_of_a_file_that_stays_is_of_its_change_alone() -> None:
    one, two, look = step(5), step(9), step(7, "ls")
    files = {
        "a.py": EditedFile("a.py", [(one, Edit("a.py", "modified"))]),
        "b.py": EditedFile(
            "b.py", [(one, Edit("b.py", "modified")), (two, Edit("b.py", "modified"))]
        ),
    }
    asked = Message(1, Speaker.USER, "Sort it", None)
    steps: tuple[Step, ...] = (one, look, two)
    request = telling(steps=steps).change.requests[0]._replace(asked=asked)
    (change,) = _changes([request], files, "")
    assert change.steps == (one, two)
    assert _changes([], files, "") == []
