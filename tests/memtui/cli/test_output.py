"""Colour and width on a terminal, plain text elsewhere, and JSON that a terminal can show."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.cli import output
from memtui.cli.main import run
from memtui.cli.rows import short_id
from tests.memtui.cli.conftest import Run

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command on a terminal of sixty columns; what it wrote there."""

    def command(*arguments: str) -> str:
        shown = Screen()
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "60")
            patch.setenv("TERM", "xterm-256color")
            patch.setattr("sys.stdout", shown)
            patch.setattr("sys.stderr", Screen())
            assert run(arguments) == 0
        return shown.getvalue()

    return command


@pytest.mark.usefixtures("project")
def test_a_terminal_gets_colour_and_rows_that_fit(screen: Callable[..., str]) -> None:
    shown = screen("search", "lock")
    assert _STYLE.search(shown)
    plain = _STYLE.sub("", shown)
    assert "\x1b" not in plain
    assert all(cell_len(line) <= 60 for line in plain.splitlines())
    assert "…" in plain
    passage = _STYLE.sub("", screen("search", "lock", "category:error")).splitlines()[1]
    assert passage.strip().startswith("Chose option 4 for the lock")
    assert "\x1b[33m\x1b[1moption" in screen("search", "option", "category:error")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_refused(
    monkeypatch: pytest.MonkeyPatch, memtui: Run, name: str, value: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", shown := Screen())
    assert run(["search", "lock"]) == 0
    assert "lock" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()


@pytest.mark.usefixtures("project")
def test_a_pipe_gets_whole_lines_without_colour(memtui: Run) -> None:
    memtui("add", "long " * 80)
    out = memtui("list").out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) > 200


@pytest.mark.usefixtures("project")
def test_a_long_catch_up_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.cli.progress._PATIENCE", -1)
    monkeypatch.setattr("sys.stderr", shown := Screen())
    assert run(["search", "lock"]) == 0
    assert "Reading memory: 0 of 3 issues" in shown.getvalue()
    assert "3 of 3" in shown.getvalue()


def test_marks_stay_on_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.cli.output.paint", lambda text, **_: f"<{text}>")
    assert output.marked("a\x1block b", [(2, 6)]) == "a␛<lock> b"
    assert output.marked("one two", [(4, 7), (0, 3)]) == "<one> <two>"
    assert output.marked("one", [(0, 2), (1, 3), (2, 9), (3, 3)]) == "<on>e"


@given(st.text(st.characters(), max_size=40))
@settings(max_examples=100, deadline=None)
def test_json_is_exact_and_safe_to_show(text: str) -> None:
    written = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memtui.cli.output.say", written.write)
        output.say_json({"content": text})
    shown = written.getvalue()
    assert json.loads(shown)["content"] == text
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    shown.encode()


def test_short_ids() -> None:
    assert short_id("obs-engineer-29-1709035200000-a1b2c3") == "a1b2c3"
    assert short_id("obs-pitfalls-20260817-sbrc58tdzg30") == "sbrc58tdzg30"
    assert short_id("obs-notes-undated-sbrc58tdzg30") == "sbrc58tdzg30"
    assert short_id("keep-1") == "keep-1"
    assert short_id("x\x1b") == "x␛"
    assert short_id("a-very-long-name-of-another-program") == "e-of-another-program"
