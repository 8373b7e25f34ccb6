"""A real terminal after a signal: as it was found, and nothing left behind."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 120.0
ENTERED = (b"\x1b[?1049h", b"\x1b[?25l", b"\x1b[?1000h", b"\x1b[?1003h", b"\x1b[?2004h")
LEFT = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l")
"""The alternate screen, the hidden cursor, the mouse and the marks around pasted text."""


_BARE = """
import memtui.sample
memtui.sample.write_sample_store = lambda folder, now, **_: folder.mkdir(parents=True)
from memtui.cli.main import main
main()
"""
DEMO, BARE = ("-m", "memtui"), ("-c", _BARE)
"""The demo, and the demo with nothing in its folder, which is made sooner and left alike."""


class Terminal:
    """A program in a pseudo-terminal whose other end somebody else holds open, as a shell does."""

    def __init__(self, project: Path, *program: str) -> None:
        self.written = b""
        self.handle, self.end = pty.openpty()
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self.found = termios.tcgetattr(self.end)
        self.process = subprocess.Popen(
            [sys.executable, *program, "demo"],
            cwd=project,
            env={
                "HOME": str(project / "home"),
                "PATH": os.environ.get("PATH", ""),
                "TERM": "xterm-256color",
                "TMPDIR": str(project / "temporary"),
            },
            stdin=self.end,
            stdout=self.end,
            stderr=self.end,
            start_new_session=True,
        )

    def read_until(self, text: bytes) -> None:
        """Read until a text was written."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.written:
            assert time.monotonic() < deadline, self.written[-2000:]
            self.read()

    def read(self, seconds: float = 0.5) -> None:
        """Read what comes within some seconds."""
        if select.select([self.handle], [], [], seconds)[0]:
            self.written += os.read(self.handle, 1 << 16)

    def code(self) -> int:
        """Read until the program has ended; its exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "it goes on"
            self.read(0.05)
        while select.select([self.handle], [], [], 0)[0]:
            self.read(0)
        return self.process.returncode


@contextmanager
def drawn(tmp_path: Path, program: tuple[str, str]) -> Iterator[Terminal]:
    """A demo, drawn."""
    (tmp_path / "home").mkdir()
    (tmp_path / "temporary").mkdir()
    terminal = Terminal(tmp_path, *program)
    try:
        terminal.read_until(b"Agents")
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        for handle in (terminal.handle, terminal.end):
            try:
                os.close(handle)
            except OSError:
                continue


@pytest.mark.parametrize(("number", "program"), [(signal.SIGTERM, DEMO), (signal.SIGALRM, BARE)])
def test_a_signal_leaves_the_terminal_as_it_was_found(
    tmp_path: Path, number: signal.Signals, program: tuple[str, str]
) -> None:
    with drawn(tmp_path, program) as terminal:
        assert list((tmp_path / "temporary").iterdir())
        assert termios.tcgetattr(terminal.end) != terminal.found
        os.write(terminal.handle, b"/Gr\xf6\xdfe\xff\x80")  # no UTF-8
        terminal.read_until("Gr\ufffd".encode())
        terminal.process.send_signal(number)
        assert terminal.code() == 128 + number
        assert termios.tcgetattr(terminal.end) == terminal.found
        for entered, left in zip(ENTERED, LEFT, strict=True):
            assert terminal.written.rfind(left) > terminal.written.rfind(entered) >= 0, left
        assert b"Traceback" not in terminal.written
        assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("told", [True, False])
def test_a_closed_terminal_ends_the_app_and_leaves_no_folder(tmp_path: Path, told: bool) -> None:
    with drawn(tmp_path, BARE) as terminal:
        os.close(terminal.end)
        os.close(terminal.handle)
        if told:
            terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(PATIENCE) > 0
        assert list((tmp_path / "temporary").iterdir()) == []
