"""Lines of a program's output that say what went wrong."""

from __future__ import annotations

import pytest

from store.text.failure import failure_line


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        ("Traceback\n  File a\nKeyError: 'x'\nduring:\nValueError: 'y'", "ValueError: 'y'"),
        ("E   KeyError: 'x'\nE   ValueError: 'y'\nFAILED a.py", "ValueError: 'y'"),
        ("KeyError: 'x' was raised\nerror: it broke", "KeyError: 'x' was raised"),
        ("it cannot be found here\nerror: no such file", "error: no such file"),
        ("it cannot be found here\nrows are missing there", "it cannot be found here"),
        ("it failed here at once\n0 failures, 3 errors: all", "it failed here at once"),
        ("", ""),
        ("Exit code 1\n  at x (error.js)\n3 passed", ""),
        ("\x1b[31merror: it broke (x)\x1b[0m", "error: it broke (x)"),
    ],
)
def test_the_line_that_says_best_what_failed(printed: str, line: str) -> None:
    assert failure_line(printed) == line
