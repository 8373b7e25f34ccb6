"""What the app is called where it starts, and what is left where its terminal is closed."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memtui.startup import project_title


def test_a_memory_is_named_by_its_project_and_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    (shop / ".git" / "HEAD").write_text("ref: refs/heads/fix/locks\n")
    monkeypatch.chdir(shop)
    assert project_title(shop / ".agentx" / "memory") == "shop · fix/locks"
    (tmp_path / "plain").mkdir()
    assert project_title(tmp_path / "plain" / ".agentx" / "memory") == "plain"
    monkeypatch.chdir(tmp_path)
    assert project_title(tmp_path / "elsewhere") == "elsewhere"


def test_the_demo_leaves_nothing_where_its_terminal_is_closed(tmp_path: Path) -> None:
    terminal, screen = pty.openpty()
    demo = subprocess.Popen(
        [sys.executable, "-m", "memtui", "demo"],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": str(tmp_path), "TERM": "xterm-256color"},
    )
    os.close(screen)
    os.set_blocking(terminal, False)
    until, drawn = time.monotonic() + 60, b""
    while b"memories" not in drawn and demo.poll() is None and time.monotonic() < until:
        try:
            drawn += os.read(terminal, 65536)
        except BlockingIOError:
            time.sleep(0.05)
    assert list(tmp_path.glob("memtui-demo-*"))
    demo.send_signal(signal.SIGHUP)
    os.close(terminal)
    demo.wait(30)
    assert list(tmp_path.glob("memtui-demo-*")) == []
