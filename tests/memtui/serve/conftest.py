"""Servers: over a small memory in this process, and over HTTP as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memtui.serve.mcp.server import Server
from store import Memory, open_memory
from tests.store.factories import observation

ROOT = Path(__file__).parents[3]
Ask = Callable[..., dict[str, Any]]


@contextmanager
def served(folder: Path, token: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server of JSON-RPC over a memory, and its URL; killed at the end. The token is a1's."""
    folder.mkdir(parents=True, exist_ok=True)
    tokens = folder.parent / "tokens"
    tokens.touch(0o600)
    tokens.write_text(f"a1 {token}\n")
    command = [sys.executable, "-m", "memtui", "serve", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--tokens", str(tokens), "--dir", str(folder)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder.parent)},
    )
    try:
        assert process.stderr
        line = process.stderr.readline()
        yield process, line.removeprefix("Serving at ").strip().removesuffix(".")
    finally:
        process.kill()
        process.communicate(timeout=10)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Three memories of two issues."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with open_memory(tmp_path / "project" / ".agentx" / "memory") as opened:
        opened.store(
            [
                observation("Chose one JSON file an issue: merges stay small", issue_number=29),
                observation(
                    "Lock timeout on manifest.json after 5 retries in store/locks.py",
                    issue_number=29,
                ),
                observation("Use httpx, not requests, in api/client.py", issue_number=31),
            ]
        )
        yield opened


@pytest.fixture
def server(memory: Memory) -> Server:
    return Server(lambda: memory, "1.2.3")


@pytest.fixture
def ask(server: Server) -> Ask:
    """Ask a method with its params; gives the whole answer."""

    def asked(method: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer: dict[str, Any] = json.loads(server.answer(json.dumps(message).encode()))
        return answer

    return asked


@pytest.fixture
def call(ask: Ask) -> Ask:
    """Call a tool; gives its result."""

    def called(tool: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
        result: dict[str, Any] = ask("tools/call", name=tool, arguments=arguments)["result"]
        return result

    return called
