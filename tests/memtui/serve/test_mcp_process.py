"""`memtui mcp` as a process: what agents start, as the protocol's own SDK talks to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from store import Memory

ROOT = Path(__file__).parents[3]


def _command(memory: Memory) -> list[str]:
    return [sys.executable, "-m", "memtui", "mcp", "--dir", str(memory.path)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize("servers", [2, pytest.param(10, marks=pytest.mark.long)])
def test_several_servers_on_one_memory(memory: Memory, servers: int) -> None:
    running = []
    for number in range(servers):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "memory_add",
                "arguments": {"content": f"Fact number {number}", "category": "key-fact"},
            },
        }
        process = subprocess.Popen(
            _command(memory),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.close()
        running.append(process)
    ids = set()
    for process in running:
        assert process.stdout is not None
        with process.stdout as answers:
            ids.add(json.loads(answers.read())["result"]["structuredContent"]["id"])
        assert process.wait() == 0
    assert len(ids) == servers
    assert ids <= {it.id for it in memory.by_issue(0)}, "the record lost what was acknowledged"
    assert ids <= {hit.entry.id for hit in memory.search("category:key-fact").hits}


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
