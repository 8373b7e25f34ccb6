"""What really reaches a terminal: app and commands in a pseudo-terminal, on hostile memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from store import Observation, open_memory
from store.backends.location import FOLDER
from tests.terminal import Terminal

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


def program(project: Path, *arguments: str) -> Terminal:
    environment = {
        "HOME": str(project),
        "PATH": os.environ.get("PATH", ""),
        "TERM": "xterm-256color",
        "XDG_CACHE_HOME": str(project / "cache-home"),
        "MEMTUI_DIR": str(project),
    }
    return Terminal([sys.executable, *arguments], environment, project)


def obeyed(written: bytes) -> list[bytes]:
    return [sequence for sequence in NEVER if sequence in written]


def test_the_app_lets_no_code_of_memory_through(evil: Path) -> None:
    with program(evil, "-m", "memtui") as terminal:
        terminal.wait_for("Agents")
        terminal.wait_for("second line")
        for key, shown in (("\r", "layer"), BACK, ("i", "Candidates"), BACK, ("!", "Doctor"), BACK):
            terminal.press(key)
            terminal.wait_for(shown)
        terminal.press("q")
        assert terminal.wait() == 0
    assert obeyed(terminal.written) == []


def test_the_demo_leads_back_to_where_it_was_opened(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path), "PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color",
    }  # fmt: skip
    command = [sys.executable, "-m", "memtui"]
    with Terminal(command, environment, tmp_path) as terminal:
        terminal.wait_for("Open the demo")
        terminal.press("G\r")
        terminal.wait_for("ux-designer")
        terminal.press("q")
        terminal.wait_for("Open the demo")
        terminal.press("qq")
        assert terminal.wait() == 0
    assert not (tmp_path / ".agentx").exists()
