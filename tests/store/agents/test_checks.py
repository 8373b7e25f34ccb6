"""What is a check, and whether it failed."""

from __future__ import annotations

import pytest

from store.agents.checks import failure_of, has_failed, is_check
from store.agents.reading import read_session
from store.agents.session import Step
from store.text.failure import is_failing_output
from tests.store.capture.transcripts import ClaudeCode


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
