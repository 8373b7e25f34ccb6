"""A database that accepts a connection and says nothing: one deadline for all that a hook does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from memtui.hooks import run
from memtui.hooks.call import DUTIES, HookInput
from memtui.hooks.run import run_hook


@pytest.fixture
def silent() -> Iterator[str]:
    """The URL of a server that takes connections, and never answers."""
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"postgresql://127.0.0.1:{server.getsockname()[1]}/memory"


@pytest.mark.parametrize("name", ["session-start", "user-prompt", "pre-tool-use", "stop"])
def test_a_hook_ends_in_time(
    silent: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "DUTIES", {name: DUTIES[name]._replace(seconds=1.0)})
    given = HookInput(session_id="s-1", folder=str(tmp_path), prompt="Why is the lock slow?")
    began = monotonic()
    text = run_hook(name, given, "claude-code", {"MEMTUI_DIR": silent}, tmp_path)
    assert text == ""
    assert monotonic() - began < 1.5
