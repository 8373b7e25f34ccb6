"""Servers as processes: called by the SDK, several at once, killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

from memtui.serve.mcp.calls import outcome
from memtui.serve.mcp.tool_arguments import Outcome
from store import AgentMemory, Memory, open_memory
from tests.memtui.serve.conftest import served
from tests.store.factories import observation

ROOT = Path(__file__).parents[3]


def _command(memory: Memory) -> list[str]:
    return [sys.executable, "-m", "memtui", "mcp", "--dir", str(memory.path)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
async def test_the_sdk_s_client_calls_every_tool(memory: Memory, mode: str, revision: str) -> None:
    mcp = pytest.importorskip("mcp", reason="the protocol's SDK is not installed")
    started = mcp.StdioServerParameters(
        command=sys.executable, args=_command(memory)[1:], env=_environment()
    )
    async with mcp.Client(started, mode=mode) as it:
        assert it.protocol_version == revision
        tools = (await it.list_tools()).tools
        assert tools[0].name == "memory_search"
        found = await it.call_tool("memory_search", {"query": "httpx"})
        identifier = found.structured_content["hits"][0]["id"]
        for name, arguments in {
            "memory_get": {"ids": [identifier]},
            "memory_context": {"task": "which client library"},
            "memory_for_files": {"paths": ["api/client.py"]},
            "memory_add": {"content": "Tests run in parallel", "category": "procedure"},
            "memory_outcome": {"id": identifier, "helped": True},
        }.items():
            answer = await it.call_tool(name, arguments)
            assert not answer.is_error
        read = await it.read_resource(f"memtui://memory/{identifier}")
        assert "httpx" in read.contents[0].text
        told = await it.get_prompt("recall", {"task": "use httpx or requests"})
        assert "httpx" in told.messages[0].content.text


# Several clients at once: what each was told is kept stays kept, and none is refused.


CLIENTS, EACH = 2, 8


def _say(folder: Path, cache: Path, client: int) -> None:
    with open_memory(folder, cache=cache) as memory:
        for number in range(EACH):
            said = Outcome(id="obs-1", helped=True, note=f"note {number}")
            outcome(memory, said, f"c{client}")
            if number % 4 == 0:
                AgentMemory(memory, "engineer").update_memory(
                    "obs-1", {"summary": f"Summary {client} {number}"}
                )


def test_no_outcome_is_lost_and_no_update_refused(tmp_path: Path) -> None:
    folder, cache = tmp_path / "memory", tmp_path / "cache"
    with open_memory(folder, cache=cache) as memory:
        memory.store([observation("Ask the lock first", id="obs-1")])
    fork = multiprocessing.get_context("fork")
    clients = [fork.Process(target=_say, args=(folder, cache, at)) for at in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert [client.exitcode for client in clients] == [0] * CLIENTS
    with open_memory(folder, cache=cache) as memory:
        assert memory.get("obs-1").extra["outcomes"]["helped"] == CLIENTS * EACH


# A server that is killed while it stores: what it acknowledged is there.


TOKEN = "killed-" * 4
_CALLERS = 4


def store_until_killed(url: str, caller: int, enough: Event, wanted: int) -> list[str]:
    """Store one interaction after the other; the ids that were acknowledged."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=30)
    acknowledged: list[str] = []
    number = 0
    try:
        while True:
            query = f"Why is step {number} of caller {caller} red?"
            happened = {"id": f"{caller}-{number}", "query": query}
            message = {
                "jsonrpc": "2.0",
                "id": number,
                "method": "memory.store",
                "params": {"interaction": {**happened, "timestamp": "2026-03-01T11:30:00Z"}},
                "a2a_context": {"source_agent": "a1"},
            }
            headers = {"Authorization": f"Bearer {TOKEN}"}
            connection.request("POST", parts.path, json.dumps(message), headers)
            told = json.loads(connection.getresponse().read())
            acknowledged.append(told["result"]["memory_id"])
            number += 1
            if number == wanted:
                enough.set()
    except (OSError, HTTPException):
        return acknowledged
    finally:
        enough.set()
        connection.close()


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.long)])
def test_what_was_acknowledged_outlives_a_kill_under_load(tmp_path: Path, kills: int) -> None:
    folder = tmp_path / ".agentx" / "memory"
    acknowledged: set[str] = set()
    for kill in range(kills):
        enough = Event()
        with served(folder, TOKEN) as (process, url), ThreadPoolExecutor(_CALLERS) as callers:
            done = [
                callers.submit(store_until_killed, url, 10 * kill + each, enough, 3 + kill)
                for each in range(_CALLERS)
            ]
            enough.wait(60)
            process.kill()
            for each in done:
                acknowledged.update(each.result())
    with open_memory(folder, cache=tmp_path / "cache") as memory:
        kept = {it.id for it in memory.by_issue(0)}
    assert len(acknowledged) >= 3 * kills
    assert acknowledged <= kept
