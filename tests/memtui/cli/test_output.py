"""Colour and width on a terminal, plain text elsewhere, and JSON that a terminal can show."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from time import monotonic, sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.cli import output
from memtui.cli.main import run
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
    assert passage.strip() == "…for the lock."
    assert "\x1b[33m\x1b[1moption" in screen("search", "option", "category:error")


@pytest.mark.usefixtures("project")
def test_a_pipe_gets_whole_lines_without_colour(memtui: Run) -> None:
    memtui("add", "long " * 80)
    out = memtui("list").out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()) > 200


@given(st.text(st.characters(), max_size=40))
def test_json_is_exact_and_safe_to_show(text: str) -> None:
    written = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memtui.cli.output.print_line", written.write)
        output.print_json({"content": text})
    shown = written.getvalue()
    assert json.loads(shown)["content"] == text
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown
    )
    shown.encode()


def test_what_takes_long_is_named_until_something_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Screen()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    with output.progress("Examining memory", "issues", "It took long.") as report:
        deadline = monotonic() + 10
        while not output._PROGRESS_LINE.is_shown and monotonic() < deadline:
            sleep(0)
        report(1, 2)
        output.print_line("found")
        report(2, 2)
    assert capsys.readouterr().out == "found\n"
    assert _STYLE.sub("", terminal.getvalue()) == (
        "\r\x1b[KExamining memory…\r\x1b[KExamining memory: 1 of 2 issues\r\x1b[K"
        "\r\x1b[KExamining memory: 2 of 2 issues\r\x1b[KIt took long.\n"
    )


@pytest.mark.usefixtures("project")
def test_an_injection_names_that_memory_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Screen()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    assert run(("inject", "--agent", "engineer")) == 0
    assert "Reading memory" in terminal.getvalue()


def test_nothing_is_named_where_no_terminal_reads_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    with output.progress("Examining memory", "issues", "It took long.") as report:
        report(2, 2)
    assert capsys.readouterr() == ("", "")
