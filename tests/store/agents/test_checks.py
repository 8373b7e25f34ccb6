"""What steps say: checks and how they failed, files that changed, and marks of skills."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from store.agents.changed_files import changed_files
from store.agents.checks import failure_of, has_failed, is_check
from store.agents.paths import project_path
from store.agents.reading import read_session
from store.agents.session import Session, Step
from store.capture.plan import plan_capture
from store.settings.schema import Settings
from store.text.failure import is_failing_output
from tests.store.capture.dialogues import session_of
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation


def _step(command: str, printed: str = "", *, failed: bool = False) -> Step:
    made = ClaudeCode().user("Go.").bash(command, printed, failed=failed)
    (step,) = read_session(line.encode() for line in made.lines).steps
    return step


@pytest.mark.parametrize(
    "command", ["pytest -q", "npm test", "cargo build", "make check", "npx tsc --noEmit"]
)
def test_what_checks_or_builds(command: str) -> None:
    assert is_check(_step(command))


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "npm view build-tools",
        "npm info test-runner version",
        "  gh run view --log | grep pytest",
        "curl https://example.org/test",
        "docker logs test-1",
    ],
)
def test_what_asks_a_server_or_looks_checks_nothing(command: str) -> None:
    assert not is_check(_step(command))


@pytest.mark.parametrize(
    ("printed", "fails"),
    [
        ("error: no such file\n 12 pass\n 0 fail", False),
        ("error: no such file\n 11 pass\n 1 fail", True),
        ("FAILED a.py::test_it - KeyError", True),
        ("\x1b[31mFAILED\x1b[0m a.py::test_it", True),
        ("12 passed", False),
        ("failures: 0", False),
    ],
)
def test_a_runners_own_tally_wins(printed: str, fails: bool) -> None:
    assert is_failing_output(printed) is fails
    assert has_failed(_step("pytest | tail -5", printed)) is fails
    assert not has_failed(_step("cat log", printed))
    assert has_failed(_step("cat log", printed, failed=True))


@pytest.mark.parametrize(
    ("command", "output", "failure"),
    [
        ("make test", "FAILED a.py::b - KeyError", "`make test` fails: FAILED a.py::b - KeyError"),
        ("make test", "The user doesn't want to proceed with this tool use.", ""),
        ("cat a.py", "error: no such file: a.py", ""),
    ],
)
def test_how_a_check_failed(command: str, output: str, failure: str) -> None:
    assert failure_of(_step(command, output, failed=True)) == failure


# What steps did to files: edits in twos and threes, folders, helpers and checkouts.


def _files(text: str) -> dict[str, str]:
    session = session_of(text)
    return {path: file.how for path, file in changed_files(session).items()}


EDITS = "EDIT a.py\n-x\n+y\nEDIT b.py\n-x\n+y\n"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (EDITS, {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH rm a.py\n", {"a.py": "deleted", "b.py": "modified"}),
        ("WRITE a.py\nx\nBASH touch c.py\nBASH rm c.py\n", {"a.py": "modified"}),
        (f"{EDITS}FAILS rm a.py\nno\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH mv a.py web/a.py\n", {"web/a.py": "moved", "b.py": "modified"}),
        (
            f"{EDITS}EDIT web/c.py\n-x\n+y\nEDIT web2/d.py\n-x\n+y\nBASH rm -rf web\n",
            {
                "a.py": "modified",
                "b.py": "modified",
                "web/c.py": "deleted",
                "web2/d.py": "modified",
            },
        ),
        (f"{EDITS}BASH git add a.py && git rm b.py\n", {"a.py": "modified", "b.py": "modified"}),
        ("BASH git add a.py\n", {"a.py": "modified"}),
        ("BASH python gen.py > gen.py\n", {"gen.py": "modified"}),
        (f"{EDITS}BASH python gen.py > web/gen.py\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH ls > out.log\n", {"a.py": "modified", "b.py": "modified"}),
        (f"{EDITS}BASH ls > c.py\n", {"a.py": "modified", "b.py": "modified", "c.py": "modified"}),
        ("EDIT ../c.py\n-x\n+y\n", {}),
    ],
)
def test_which_files_are_changes_of_the_project(text: str, files: dict[str, str]) -> None:
    assert _files(text) == files


@pytest.mark.parametrize(
    ("path", "folder", "roots", "told"),
    [
        ("/srv/shop/web/a.py", "/srv/shop/web", ("/srv/shop",), "web/a.py"),
        ("/srv/shop/web/a.py", "/srv/shop/web", ("/other", "/srv/shop"), "web/a.py"),
        ("/srv/shop/web/a.py", "/srv/shop/web", (), "a.py"),
        ("a.py", "/srv/shop/web", ("/srv/shop",), "web/a.py"),
        ("/srv/shopping/a.py", "/srv/shop", (), "/srv/shopping/a.py"),
        ("/srv/shop/a.py", "/srv/shop/", (), "a.py"),
        (" /srv/shop/a.py ", "/srv/shop", (), "a.py"),
        ("/srv/shop/.claude/worktrees/one/a.py", "/srv/shop", (), "a.py"),
        ("/srv/other/shop/a.py", "/srv/shop", (), "/srv/other/shop/a.py"),
        ("/tmp/shop/a.py", "/tmp/shop", (), "a.py"),
        ("/tmp/other/a.py", "/tmp/shop", (), ""),
        ("/srv/shop/.git/config", "/srv/shop", (), ""),
        ("a.py", "", (), "a.py"),
    ],
)
def test_path_from_its_root(path: str, folder: str, roots: tuple[str, ...], told: str) -> None:
    assert project_path(path, folder, roots) == told


# What memory knows a tool call by: the same whenever it is read, and never that of another.


def _chat_of_aider(day: int, path: str) -> bytes:
    return (
        f"# aider chat started at 2026-04-0{day} 08:00:00\n\n#### Mend {path}  \n\n{path}\n```\n"
        "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n"
        f"> Applied edit to {path}  \n#### !make  \n> done  \n"
    ).encode()


def _task_of_cline(day: int, path: str) -> bytes:
    asked = f"<task>Mend {path}</task>\n# Current Time\n4/{day}/2026"
    edit = f"I do.\n<write_to_file><path>{path}</path><content>y</content></write_to_file>"
    told = (("user", asked), ("assistant", edit), ("user", "[write_to_file] Result: saved"))
    messages = [{"role": role, "content": [{"type": "text", "text": it}]} for role, it in told]
    return json.dumps(messages).encode()


def _read(text: bytes) -> Session:
    return read_session(text.splitlines(keepends=True), session_id=f"s-{len(text)}")


@pytest.mark.parametrize("made", [_chat_of_aider, _task_of_cline])
def test_marks_of_changes_in_two_sessions(made: Callable[[int, str], bytes]) -> None:
    first, second = _read(made(1, "tax.py")), _read(made(2, "tip.py"))
    now = datetime(2026, 4, 5, tzinfo=UTC)

    def plan(session: Session, *marks: str) -> list[str]:
        held = [observation("The tax is rounded once.", sources=marks)]
        found = plan_capture(session, issue=0, held=held, now=now, settings=Settings())
        return [it.reason.kind for it in found.skipped]

    marks = first.marks(first.steps)
    assert "captured-before" in plan(first, *marks)
    assert "captured-before" not in plan(second, *marks)
