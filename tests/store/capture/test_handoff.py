"""What a handoff names as open: tasks noted one by one, lists, questions, checks that fail."""

from __future__ import annotations

import pytest

from store.capture.checks.failures import command_head
from store.model import Category
from tests.store.capture.transcripts import ClaudeCode, contents

LAST = "The rows in `rows.py` are grouped by file now. Next I'll fold the header of each table."


def _open(made: ClaudeCode, last: str = LAST) -> list[str]:
    found = contents(made.agent(last).plan(), Category.HANDOFF)
    return [line for text in found for line in text.splitlines() if line.startswith("Open: ")]


def _begun() -> ClaudeCode:
    return ClaudeCode().user("Group the rows of the table by file").edit("rows.py")


def _task(made: ClaudeCode, number: int, subject: str) -> ClaudeCode:
    said = f"Task #{number} created successfully: {subject}"
    return made.call("TaskCreate", {"subject": subject}, said)


def test_tasks_that_were_noted_and_not_closed_are_open() -> None:
    made = _begun()
    for number, subject in enumerate(
        ("Write the manual page", "Fold the header rows", "Measure the table", "Drop the cast"), 1
    ):
        _task(made, number, subject)
    made.call("TaskUpdate", {"taskId": "1", "status": "completed"})
    made.call("TaskUpdate", {"taskId": "2", "status": "in_progress"})
    made.call("TaskUpdate", {"taskId": "4", "status": "deleted"})
    assert _open(made) == ["Open: Fold the header rows; Measure the table"]


def test_tasks_are_as_new_as_the_last_of_them_that_was_closed() -> None:
    made = _task(_task(_begun(), 1, "Write the manual page"), 2, "Measure the table")
    for number in range(30):
        made.edit(f"other{number}.py")
    assert _open(made) == []
    made.call("TaskUpdate", {"taskId": "1", "status": "completed"})
    assert _open(made) == ["Open: Measure the table"]


def test_a_list_that_much_was_done_after_is_stale() -> None:
    todos = [{"content": "Write the manual page", "status": "in_progress"}]
    made = _begun().call("TodoWrite", {"todos": todos})
    assert _open(made) == ["Open: Write the manual page"]
    later = _begun().call("TodoWrite", {"todos": todos})
    for number in range(60):
        later.edit(f"other{number}.py")
    assert _open(later) == []


def test_the_last_list_counts_in_the_words_of_any_client() -> None:
    first = [{"content": "Write the manual page", "status": "pending"}]
    plan = [{"step": "Measure the table", "status": "pending"}, {"step": "Done", "status": "done"}]
    made = _begun().call("TodoWrite", {"todos": first}).call("update_plan", {"plan": plan})
    assert _open(made) == ["Open: Measure the table"]
    assert _open(_begun().call("TodoWrite", {"todos": "odd"})) == []


@pytest.mark.parametrize(
    ("printed", "is_open"),
    [
        ("FAILED tests/test_rows.py::test_it - KeyError: 'x'", True),
        ("3 passed", False),
    ],
)
def test_the_last_check_is_open_where_it_fails(printed: str, is_open: bool) -> None:
    made = _begun().bash("pytest tests", printed, failed=is_open)
    assert bool(_open(made)) is is_open


def test_a_check_before_the_last_change_is_not_open() -> None:
    made = _begun().bash("pytest tests", "FAILED a.py::test_it - KeyError: 'x'", failed=True)
    assert _open(made.edit("rows.py")) == []


def test_a_check_of_a_helper_is_not_open() -> None:
    printed = "FAILED a.py::test_it - KeyError: 'x'"
    for aside in (False, True):
        made = _begun().call(
            "Bash", {"command": "pytest tests"}, printed, failed=True, isSidechain=aside
        )
        assert any("fails: " in it for it in _open(made)) is not aside


def test_a_command_of_nothing_has_no_head() -> None:
    assert command_head("") == ""
    assert command_head("cd a && pytest -q && echo done") == "pytest -q"
    assert command_head("git status; git diff") == "git status"


def test_what_is_as_it_must_be_is_not_open() -> None:
    assert _open(_begun(), "`rows.py` still needs a cast for old tables, but now takes rows.") == []


def test_who_only_waits_has_done_nothing() -> None:
    made = _begun().agent("Grouped the rows in `rows.py` by file, so that each is drawn once.")
    made.user("wait, I have to mend the signing agent, it is broken again")
    made.bash("pytest tests", "FAILED a.py::test_it - KeyError: 'x'", failed=True)
    (told,) = contents(
        made.agent("Got it, I'll wait for you to fix the signing agent v2.").plan(),
        Category.HANDOFF,
    )
    assert "Done: Grouped the rows" in told


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("Remaining", ""),
        ("**Remaining work**", ""),
        ("TODO", ""),
        ("Next", ""),
        ("Next steps", ""),
        ("Follow-ups", ""),
        ("Pending", "Pending: "),
        ("Blocked", "Blocked: "),
    ],
)
def test_what_stands_behind_a_label_is_open(label: str, told: str) -> None:
    left = "the header of `rows.py` for tables without any file."
    assert _open(_begun(), f"{LAST} {label}: {left}") == [f"Open: {told}{left}"]
    assert _open(_begun(), f"{LAST} {label}: none.") == []


@pytest.mark.parametrize("status", [[], {}, 5, None])
def test_a_status_may_be_anything(status: object) -> None:
    made = _task(_begun(), 1, "Write the manual page")
    made.call("TaskUpdate", {"taskId": "1", "status": status})
    assert _open(made) == ["Open: Write the manual page"]
    made = _begun().call("TodoWrite", {"todos": [{"content": "Write the page", "status": status}]})
    assert _open(made) == []


@pytest.mark.parametrize(
    ("last", "is_open"),
    [
        ("`rows.py` still needs a header for tables without any file.", True),
        ("Recommended next step: read `rows.py` as a whole.", False),
        ("It sums the work up in parts (what is done, next steps) in `rows.md`.", False),
        ("The rows are grouped by file.", False),
        ("Now I'll fold the header of each table.", False),
    ],
)
def test_what_is_left_was_not_merely_advised(last: str, is_open: bool) -> None:
    assert bool(contents(_begun().agent(last).plan(), Category.HANDOFF)) is is_open


def test_a_list_is_no_handoff_where_the_session_came_to_its_end() -> None:
    todos = [{"content": "Write the manual page", "status": "in_progress"}]
    made = _begun().call("TodoWrite", {"todos": todos})
    ended = made.agent("The rows in `rows.py` are grouped by file now.")
    assert not contents(ended.plan(), Category.HANDOFF)
    assert contents(ended.edit("header.py").plan(), Category.HANDOFF)


def test_a_handoff_tells_as_done_neither_what_comes_next_nor_what_git_is_to_do() -> None:
    todos = [
        {"content": "Print the receipts of the night", "status": "pending"},
        {"content": "Commit, push and open the pull request", "status": "pending"},
    ]
    made = ClaudeCode().user("Close the day of `till.py` at midnight").edit("till.py")
    made.agent("Moved the close of `till.py` to midnight, so that no receipt is lost.")
    made.call("TodoWrite", {"todos": todos})
    made.agent("Before I close it, the run of all tills is still running.")
    plan = made.bash("ls tills", "one").plan()
    (told,) = contents(plan, Category.HANDOFF)
    assert "Done: Moved the close of `till.py` to midnight, so that no receipt is lost.\n" in told
    assert "Open: Print the receipts of the night\n" in told


def test_a_session_of_which_only_git_is_left_needs_no_handoff() -> None:
    todos = [{"content": "Commit, push and open the pull request", "status": "pending"}]
    made = ClaudeCode().user("Close the day of `till.py` at midnight").edit("till.py")
    made.call("TodoWrite", {"todos": todos}).agent("`till.py` closes the day.")
    assert contents(made.bash("ls tills", "one").plan(), Category.HANDOFF) == []
