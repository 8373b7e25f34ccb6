"""What really reaches a terminal: app and commands in a pseudo-terminal, on hostile memory."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.location import FOLDER

EVIL = (
    "\x1b]0;EVIL\x07 \x1b]52;c;RVZJTA==\x07 \x1b[6n \x9b5n \x9d0;EVIL\x9c "
    "\u202eLIVE\u2066 [blink]x[/] \x00"
)
NEVER = [
    b"\x1b]0;EVIL",
    b"\x1b]52",
    b"\x1b[6n",
    b"EVIL\x07",
    *(mark.encode() for mark in ("\x9b", "\x9d", "\x9c", "\u202e", "\u2066", "\x00")),
]
"""What must not reach the terminal; our own sequences are none of these."""
BACK = ("\x1b", "after:7d")
"""Esc, and what stands on the home screen only."""
PATIENCE = 120.0
"""Seconds after which something that should appear is given up."""


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A project whose memory holds control codes in every field a record can have them."""
    with open_memory(tmp_path / FOLDER, cache=tmp_path / "cache") as memory:
        memory.store(
            [
                Observation(
                    agent="engineer",
                    issue_number=29,
                    category=category,
                    content=f"Lock {number} {EVIL}\nsecond line {EVIL}",
                    tags=(EVIL,),
                    session_id=EVIL,
                    sources=(EVIL,),
                )
                for number, category in enumerate(("decision", "error", "task"))
            ]
        )
    path = tmp_path / FOLDER / "issue-29.json"
    path.write_text(path.read_text().replace('"engineer"', '"eng\\u001b]0;EVIL\\u0007"'))
    (tmp_path / FOLDER / "issue-30.json").write_text('{"\\u001b]0;EVIL\\u0007')
    return tmp_path


class Terminal:
    """A program in a pseudo-terminal of 120 by 36, and all that it wrote."""

    def __init__(
        self, project: Path, *arguments: str, program: tuple[str, str] = ("-m", "memtui")
    ) -> None:
        self.written = b""
        self._seen = 0
        command = [sys.executable, *program, *arguments]
        environment = {
            "HOME": str(project),
            "PATH": os.environ.get("PATH", ""),
            "TERM": "xterm-256color",
            "XDG_CACHE_HOME": str(project / "cache-home"),
            "MEMTUI_DIR": str(project),
        }
        self._handle, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self._process = subprocess.Popen(
            command,
            cwd=project,
            env=environment,
            stdin=end,
            stdout=end,
            stderr=end,
            start_new_session=True,
        )
        os.close(end)

    def press(self, keys: str) -> None:
        """Send keys."""
        os.write(self._handle, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until a text was written since the last wait."""
        deadline = time.monotonic() + PATIENCE
        while text.encode() not in self.written[self._seen :]:
            assert time.monotonic() < deadline, f"{text!r} never came: {self.written[-2000:]!r}"
            assert self._read(), f"the program ended before {text!r}: {self.written[-2000:]!r}"
        self._seen = len(self.written)

    def end(self) -> int:
        """Read until the program has ended; its exit code."""
        while self._read():
            pass
        os.close(self._handle)
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        """Read what there is; whether the program goes on."""
        if not select.select([self._handle], [], [], PATIENCE)[0]:
            return False
        try:
            data = os.read(self._handle, 1 << 16)
        except OSError:
            return False
        self.written += data
        return bool(data)


def obeyed(written: bytes) -> list[bytes]:
    return [sequence for sequence in NEVER if sequence in written]


def test_the_app_lets_no_code_of_memory_through(evil: Path) -> None:
    terminal = Terminal(evil)
    terminal.wait_for("Agents")
    terminal.wait_for("second line")
    for key, shown in (
        ("\r", "layer"),
        BACK,
        ("s", "Growth"),
        BACK,
        ("i", "Candidates"),
        BACK,
        ("A", "Activity"),
        BACK,
        ("!", "Doctor"),
        BACK,
    ):
        terminal.press(key)
        terminal.wait_for(shown)
    terminal.press("q")
    assert terminal.end() == 0
    assert obeyed(terminal.written) == []


COMMANDS = (
    "search lock", "list", "stats", "show --json ID", "show ID", "inject --issue 29 --dry-run",
    "inject --issue 29 --explain", "archive --query lock --dry-run", "export", "history", "doctor",
)  # fmt: skip
IN_TURN = """
import sys
from memtui.cli.main import run
for words in sys.argv[1:]:
    print("$", words)
    print(words, "ended with", run(words.split()))
"""


def test_no_command_lets_a_code_of_memory_through(evil: Path) -> None:
    with open_memory(evil / FOLDER, cache=evil / "cache") as memory:
        identifier = memory.by_issue(29)[0].id
    commands = [each.replace("ID", identifier) for each in COMMANDS]
    terminal = Terminal(evil, *commands, program=("-c", IN_TURN))
    assert terminal.end() == 0, terminal.written
    for command in commands:
        code = 1 if command == "doctor" else 0
        assert f"{command} ended with {code}".encode() in terminal.written, terminal.written
    for written in terminal.written.split(b"$ "):
        assert obeyed(written) == [], written
