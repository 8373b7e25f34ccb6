"""Lines of a program's output that say what went wrong."""

from __future__ import annotations

import pytest

from store.text.failure import has_failure_words


@pytest.mark.parametrize(
    "line",
    [
        "KeyError: 'id'",
        "an exception was raised",
        "2 failed, 3 passed",
        "fatal: not a git repository",
        "Permission denied",
        "connection REFUSED",
        "ruff: command not found",
        "cannot open it",
        "unable to resolve host",
    ],
)
def test_a_line_tells_a_failure(line: str) -> None:
    assert has_failure_words(line)


@pytest.mark.parametrize("line", ["", "3 passed", "collected 5 items", "warning: unused name"])
def test_a_line_tells_none(line: str) -> None:
    assert not has_failure_words(line)
