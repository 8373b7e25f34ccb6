"""What is told of one change, on plain values: what stands by itself, beside another, or in git."""

from __future__ import annotations

from typing import Any

import pytest

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.changes.change import Change
from store.capture.changes.change_text import Telling, _account, _commit, _has_git
from store.capture.steps.edited_files import EditedFile
from tests.store.capture.tellings import DONE, PROBLEM, WHY, file, step, telling


@pytest.mark.parametrize(
    ("files", "told", "is_so"),
    [
        (["changelog.md"], {}, True),
        (["web/package.json", "Cargo.lock"], {}, True),
        (["package.json", "till.py"], {}, False),
        (["package.json"], {"why": WHY}, False),
        (["package.json"], {"account": WHY}, False),
        (["LICENSE"], {"account": "Added it."}, True),
        (["LICENSE"], {"account": "Added it. " * 40}, False),
        (["LICENSE", "till.py"], {"account": "Added it."}, False),
        (["docs/.gitignore", "NOTICE"], {}, True),
        (["LICENSE", "package.json"], {}, False),
    ],
)
def test_what_a_release_counts_up_and_what_any_project_has_is_a_trifle(
    files: list[str], told: dict[str, Any], is_so: bool
) -> None:
    assert telling(*files, **told).is_trifle is is_so
    assert telling(*files, **told).is_beside or not is_so


@pytest.mark.parametrize(
    ("files", "told", "is_so"),
    [
        ([file("docs/a.md")], {"account": "Says it."}, True),
        ([file("docs/a.MD")], {"account": "Says it."}, True),
        ([file("docs/a.md")], {"why": WHY}, False),
        ([file("docs/a.md")], {"account": WHY}, False),
        ([file("docs/a.md"), file("docs/b.py")], {}, False),
        ([file("docs/a.md"), file("docs/b.json")], {}, True),
        ([file("docs/a.md"), file("other/b.json")], {}, False),
        ([file("docs/a.json")], {}, False),
        ([file("docs/a.md", "created")], {}, False),
        ([file("docs/a.md", "created")], {"account": "Says it."}, True),
        ([file("docs/adr/a.md", "created")], {"account": "Says it."}, False),
        ([file("docs/adr/a.md")], {"account": "Says it."}, True),
        ([file("docs/adr/a.md"), file("docs/adr/b.md", "created")], {"account": "It."}, False),
        ([file("docs/a.md", "created")], {"from_commit": True, "asked": "Say it"}, True),
        ([file("till.py")], {"from_commit": True}, True),
        ([file("till.py")], {"from_commit": True, "asked": "Round it"}, False),
        ([file("till.py")], {"from_commit": True, "why": WHY}, False),
        ([file("till.py")], {}, False),
    ],
)
def test_texts_tell_themselves_unless_a_reason_is_told_or_they_design(
    files: list[EditedFile], told: dict[str, Any], is_so: bool
) -> None:
    assert telling(*files, **told).tells_itself is is_so


def test_texts_that_a_program_keeps_are_bookkeeping() -> None:
    assert telling(".plans/a.md", "_notes/b.md").is_bookkeeping
    assert not telling(".plans/a.md", "b.md").is_bookkeeping
    assert not telling(".plans/a.py").is_bookkeeping
    assert not telling(".plans/a.md", why=WHY).is_bookkeeping


@pytest.mark.parametrize(
    ("files", "told", "is_so"),
    [
        (["tests/test_a.py"], {}, True),
        (["tests/test_a.py", "a.py"], {}, False),
        (["tests/test_a.py"], {"why": WHY}, False),
        (["tests/test_a.py"], {"account": f"Added a test. {WHY}"}, False),
        (["tests/test_a.py"], {"account": "Added a test. It has rows."}, True),
    ],
)
def test_tests_alone_are_part_of_another_change_where_no_reason_is_told(
    files: list[str], told: dict[str, Any], is_so: bool
) -> None:
    assert telling(*files, **told).is_of_tests is is_so
    assert telling(*files, **told).is_small or not is_so


@pytest.mark.parametrize(
    ("told", "is_so"),
    [
        ({"account": f"{WHY} {DONE}"}, False),
        ({"account": f"{DONE} `cart.py` has rows of the till and of the bank now. " * 3}, True),
        ({"account": f"{WHY} {DONE}", "asked": "Sort rows Then: print them"}, True),
        ({"account": f"{PROBLEM} {DONE}", "asked": "Sort rows Then: print them"}, False),
        ({"account": WHY}, True),
        ({"account": PROBLEM}, False),
        ({"account": WHY.replace("`", "")}, True),
        ({"account": DONE, "why": WHY, "is_planned": True}, False),
    ],
)
def test_what_tells_too_little_is_no_memory_of_its_own(told: dict[str, Any], is_so: bool) -> None:
    assert telling(**told).is_small is is_so


def test_a_reason_counts_as_much_as_words() -> None:
    assert telling(account="x" * 7).weight == 7
    assert telling(account=WHY).weight - len(WHY) == telling(why="So.").weight > 0
    both = telling(account=f"{WHY} {DONE} {WHY}", why="So.")
    assert both.weight - len(both.account) == 3 * telling(why="So.").weight


@pytest.mark.parametrize(
    ("told", "is_so"),
    [
        ({"account": WHY}, True),
        ({"asked": WHY}, True),
        ({"account": DONE, "asked": "Print it"}, False),
        ({"asked": "Does it fail because `flush()` never ran?"}, False),
        ({"account": DONE, "asked": WHY}, True),
    ],
)
def test_a_reason_may_be_the_agents_or_the_persons_but_no_question(
    told: dict[str, Any], is_so: bool
) -> None:
    assert telling(**told).gives_reason is is_so


def test_git_has_what_one_of_the_commits_took() -> None:
    made, failed = (step(7, "git commit -m 'Add it'", failed=it) for it in (False, True))
    for steps, is_so in (
        ((made,), True),
        ((failed,), False),
        ((failed, made), True),
        ((made, failed), True),
        ((step(),), False),
    ):
        told = telling(steps=steps)
        assert told.is_committed is is_so
        assert _has_git(told.change.requests[0]) is is_so
    two = telling(steps=(step(),)).change.requests + telling(steps=(made,)).change.requests
    assert Telling(Change(two, (file("a.py"),), (made,)), "", "", "", None).is_committed


def test_the_last_message_of_a_commit_tells_what_was_done() -> None:
    commits = [step(at, f"git commit -m 'Add {at}'") for at in (3, 5)]
    assert _commit([*commits, step()]) == "Add 5"
    assert _commit([step()]) == ""


def test_a_change_rests_on_its_own_steps_and_those_of_what_is_told_beside_it() -> None:
    own, beside = step(5), step(9)
    small = telling("b.py", steps=(beside,), account=DONE)
    where = Message(6, Speaker.AGENT, "Said there", None)
    told = telling("a.py", steps=(own,), account=WHY, where=where).with_small([small])
    found = told.candidate(Session(id="s"), [])
    assert found.marks == Session(id="s").marks((own, beside))
    assert (found.line, found.passage) == (5, "Said there")
    assert found.content.endswith("\nAlso changed: b.py.")
    assert found.summary == found.content.partition("\n")[0].rstrip(".")
    assert telling(asked="Print it").candidate(Session(), []).passage == "Print it"


def test_of_what_is_told_beside_the_reasons_have_a_line_and_the_rest_their_files() -> None:
    because = "The problem was that `lock()` was never taken in `b.py`."
    smalls = [
        telling("b.py", account=because),
        telling(file("c.py", "created"), "d.py", account="Sorted."),
        telling("d.py", "a.py", account="Sorted."),
    ]
    told = telling("a.py", account=WHY).with_small(smalls[:1]).with_small(smalls[1:])
    lines = told.candidate(Session(), ["old.py", "older.py"]).content.split("\n")
    assert lines[-3:] == [
        f"Also b.py: {because}",
        "Also changed: c.py (new), d.py.",
        "Changed earlier in this session: old.py, older.py",
    ]
    assert told.all_files == ("a.py", "b.py", "c.py (new)", "d.py")


def test_a_reason_that_is_worth_little_is_told_by_its_files() -> None:
    poor = telling(
        "b.css", account="The colour of the label was wrong, because its border was lost."
    )
    assert poor.tells_trouble and poor.worth <= 0
    told = telling("a.py", account=WHY).with_small([poor]).candidate(Session(), [])
    assert told.content.endswith("\nAlso changed: b.css.")


def test_in_short_a_change_is_told_by_its_reason_else_by_what_was_done_or_asked() -> None:
    files = (file("docs/a.md", lines=90), file("b.py", "created", 2), file("c.py", lines=3))
    names = "c.py, b.py (new), docs/a.md"
    assert telling(*files, account=f"{DONE} {WHY}").in_short() == f"{names}: {WHY}"
    assert telling(*files, account=DONE, asked="Print it").in_short() == f"{names}: {DONE}"
    assert telling(*files, asked="Print it").in_short() == f"{names}: Print it."
    assert (telling(asked="Print it", account=DONE).what, telling(account=DONE).what) == (
        "Print it",
        DONE,
    )


ACCOUNTS = {
    "shop/till.py": "Added `close()`",
    "/home/someone/shop/bank.py": "Fixed `sum()`",
    "cart.py": "Changed `row()`",
}


@pytest.mark.parametrize(
    ("paths", "account"),
    [
        (["shop/till.py"], "Added `close()`"),
        (["till.py"], "Added `close()`"),
        (["shop/bank.py"], "Fixed `sum()`"),
        (["web/cart.py"], "Changed `row()`"),
        (["web/xcart.py"], ""),
        (["other.py", "till.py"], ""),
        (["till.py", "other.py"], "Added `close()`"),
        (["till.py", "bank.py"], "till.py: Added `close()`; bank.py: Fixed `sum()`"),
        ([], ""),
    ],
)
def test_a_summary_tells_of_files_by_the_path_that_it_names(paths: list[str], account: str) -> None:
    assert _account([file(path) for path in paths], ACCOUNTS) == account
