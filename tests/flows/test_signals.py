"""A real terminal after a signal: as it was found, and nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.terminal import PATIENCE, Terminal

ENTERED = (b"\x1b[?1049h", b"\x1b[?25l", b"\x1b[?1000h", b"\x1b[?1003h", b"\x1b[?2004h")
LEFT = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l")
"""The alternate screen, the hidden cursor, the mouse and the marks around pasted text."""


BARE_DEMO = """
import memtui.sample, sys
sys.argv[1:] = ["demo"]
memtui.sample.write_sample_store = lambda folder, now, **_: folder.mkdir(parents=True)
from memtui.cli.main import main
main()
"""
"""The demo with nothing in its folder: it is made sooner, and left alike."""
PLANS_FOR_EVER = f"""
import threading
import memtui.tui.upkeep
memtui.tui.upkeep._proposed = lambda memory: threading.Event().wait()
{BARE_DEMO}
"""
FAILS = f"""
from memtui.tui.app import MemtuiApp
MemtuiApp.action_help = lambda app: 1 / 0
{BARE_DEMO}
"""


@contextmanager
def drawn(tmp_path: Path, program: str = BARE_DEMO, typed: str = "") -> Iterator[Terminal]:
    """A demo with nothing in its folder, drawn; something was typed before it was."""
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ.get("PATH", ""),
        "TERM": "xterm-256color",
        "TMPDIR": str(tmp_path / "temporary"),
    }
    with Terminal([sys.executable, "-c", program], environment, tmp_path) as terminal:
        terminal.press(typed)
        terminal.wait_for("Agents")
        yield terminal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGALRM])
def test_a_signal_leaves_the_terminal_as_it_was_found(
    tmp_path: Path, number: signal.Signals
) -> None:
    with drawn(tmp_path) as terminal:
        assert list((tmp_path / "temporary").iterdir())
        assert termios.tcgetattr(terminal.end) != terminal.found
        terminal.press(b"/Gr\xf6\xdfe\xff\x80")  # no UTF-8
        terminal.wait_for("Gr\ufffd")
        terminal.press("\x1b[200~a\x1b[31mred\x1b")
        terminal.press("\x1b[201~\x1b[200~\x1b\x1b]qE\x1b\x1b[201~Y")
        terminal.wait_for("a\u241b[31mred\u241b\u241b\u241b]qE\u241bY")
        terminal.process.send_signal(number)
        assert terminal.wait() == 128 + number
        assert termios.tcgetattr(terminal.end) == terminal.found
        for entered, left in zip(ENTERED, LEFT, strict=True):
            assert terminal.written.rfind(left) > terminal.written.rfind(entered) >= 0, left
        assert b"Traceback" not in terminal.written
        assert list((tmp_path / "temporary").iterdir()) == []


def test_a_mistake_of_ours_ends_with_a_code_and_the_terminal_as_it_was(tmp_path: Path) -> None:
    with drawn(tmp_path, FAILS) as terminal:
        terminal.press("?")
        assert terminal.wait() == 1
        assert termios.tcgetattr(terminal.end) == terminal.found
        assert list((tmp_path / "temporary").iterdir()) == []


def test_keys_typed_before_the_first_frame_are_kept(tmp_path: Path) -> None:
    with drawn(tmp_path, typed="S") as terminal:
        terminal.wait_for("Sessions")


@pytest.mark.parametrize("told", [True, False])
def test_a_closed_terminal_ends_the_app_and_leaves_no_folder(tmp_path: Path, told: bool) -> None:
    with drawn(tmp_path) as terminal:
        terminal.hang_up()
        if told:
            terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(PATIENCE) > 0
        assert list((tmp_path / "temporary").iterdir()) == []


def test_a_plan_nobody_waits_for_does_not_keep_the_terminal(tmp_path: Path) -> None:
    with drawn(tmp_path, PLANS_FOR_EVER) as terminal:
        terminal.wait_for("0 memories")
        terminal.press("P")
        terminal.wait_for("Preparing the preview")
        terminal.press("\x11")  # Ctrl+Q
        assert terminal.wait() == 0
        assert termios.tcgetattr(terminal.end) == terminal.found
        assert list((tmp_path / "temporary").iterdir()) == []
