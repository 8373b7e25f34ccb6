"""A server over a small memory, in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memtui.serve.mcp.server import Server
from store import Memory, open_memory
from tests.store.factories import observation

Ask = Callable[..., dict[str, Any]]


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
