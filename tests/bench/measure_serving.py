"""The servers: how soon MCP answers and what it holds, and JSON-RPC over HTTP under load."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from threading import local
from time import perf_counter, sleep
from typing import Any, Self
from urllib.parse import urlsplit

from tests.bench.measure import Series, Target, interleaved, measurement
from tests.bench.world import World

TANTIVY = "import tantivy"
BARE_TANTIVY = f'bare python -c "{TANTIVY}"'
_TOKEN = "bench-" * 5
_AGENT = "engineer"
_A_SECOND, _SECONDS, _QUICK_SECONDS = 100, 20, 0.1
_CALLERS = 16
_EAGER = 4
"""Callers that ask without a pause."""


@measurement
def serving_mcp(world: World) -> Iterator[Series]:
    """From the start of `memtui mcp` to its answer to `initialize`; what it holds afterwards."""
    world.memory.index.refresh()
    took = interleaved(
        {
            BARE_TANTIVY: partial(_bare, world),
            "memtui mcp, to the answer of initialize": partial(_initialized, world),
        },
        runs=world.runs(15, large=7),
        warm_up=world.warm_up(2),
    )
    yield Series(BARE_TANTIVY, took.pop(BARE_TANTIVY))
    for name, samples in took.items():
        yield Series(name, samples, Target(times=2.5), per=BARE_TANTIVY)
    search = {"name": "memory_search", "arguments": {"query": "lock timeout"}}
    with _Mcp(world) as server:
        server.ask("initialize", protocolVersion="2025-11-25")
        for _ in range(world.runs(20)):
            server.ask("tools/call", **search)
        held = server.resident()
    yield Series("memtui mcp, resident after searches", [held], Target(median=40), "MB")


@measurement
def serving_http(world: World) -> Iterator[Series]:
    """`memory.get_context` over HTTP, 100 a second: each timed from when it was due."""
    world.memory.index.refresh()
    seconds = _QUICK_SECONDS if world.is_quick else _SECONDS
    asked = [" ".join(it.content.split()[:8]) for it in islice(world.observations(), 400)]
    with _Http(world) as server:
        server.ask(asked[0])
        rates = [_rate(server, asked, seconds / 10) for _ in range(world.runs(5))]
        before = server.resident()
        took = _under_load(server, asked, int(_A_SECOND * seconds))
        grown = server.resident() - before
    name = "JSON-RPC get_context over HTTP, 100 a second"
    yield Series(name, took, Target(p95=100))
    yield Series("JSON-RPC server, grown under load", [grown], unit="MB")
    yield Series("the same asked without a pause, by four", rates, unit="answers/s")


def _under_load(server: _Http, asked: list[str], count: int) -> list[float]:
    """Milliseconds of each request from the moment at which it was due."""
    start = perf_counter() + 0.2

    def one(number: int) -> float:
        due = start + number / _A_SECOND
        sleep(max(0.0, due - perf_counter()))
        server.ask(asked[number % len(asked)])
        return (perf_counter() - due) * 1_000

    with ThreadPoolExecutor(_CALLERS) as callers:
        return list(callers.map(one, range(count)))


def _rate(server: _Http, asked: list[str], seconds: float) -> float:
    """Answers a second that callers get who ask again as soon as they were answered."""
    start = perf_counter()

    def caller(number: int) -> int:
        answers = 0
        while perf_counter() - start < seconds:
            server.ask(asked[(number + answers * _EAGER) % len(asked)])
            answers += 1
        return answers

    with ThreadPoolExecutor(_EAGER) as callers:
        answers = sum(callers.map(caller, range(_EAGER)))
    return answers / (perf_counter() - start)


def _bare(world: World) -> None:
    command = [sys.executable, "-c", TANTIVY]
    subprocess.run(command, env=world.environment, cwd=world.root, check=True)


def _initialized(world: World) -> None:
    with _Mcp(world) as server:
        server.ask("initialize", protocolVersion="2025-11-25")


def _resident(process: subprocess.Popen[Any]) -> float:
    """Megabytes that a process holds in memory."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1_000


class _Mcp:
    """A server over standard input and output."""

    def __init__(self, world: World) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "memtui", "mcp"],
            env=world.environment,
            cwd=world.root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)

    def ask(self, method: str, **params: object) -> None:
        """Ask, and wait for an answer that is no error."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        if "error" in told or told["result"].get("isError"):
            raise RuntimeError(f"{method} failed: {told}")

    def resident(self) -> float:
        """Megabytes that it holds."""
        return _resident(self._process)


class _Http:
    """A server over HTTP, asked by many callers, each with a connection of its own."""

    def __init__(self, world: World) -> None:
        tokens = world.root / "tokens"
        tokens.touch(0o600)
        tokens.write_text(f"{_AGENT} {_TOKEN}\n")
        command = (sys.executable, "-m", "memtui", "serve")
        self._process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0", "--tokens", str(tokens)],
            env=world.environment,
            cwd=world.root,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr
        line = self._process.stderr.readline()
        self._url = urlsplit(line.removeprefix("Serving at ").strip().removesuffix("."))
        self._caller = local()
        self._connections: list[HTTPConnection] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._connections:
            connection.close()
        self._process.terminate()
        self._process.communicate(timeout=30)

    def ask(self, query: str) -> None:
        """Ask for a context, and wait for an answer that is no error."""
        if not hasattr(self._caller, "connection"):
            self._caller.connection = HTTPConnection(self._url.netloc, timeout=60)
            self._connections.append(self._caller.connection)
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "memory.get_context",
            "params": {"query": query, "task_id": "T-1"},
            "a2a_context": {"source_agent": _AGENT},
        }
        headers = {"Authorization": f"Bearer {_TOKEN}"}
        self._caller.connection.request("POST", self._url.path, json.dumps(message), headers)
        told = json.loads(self._caller.connection.getresponse().read())
        if "error" in told:
            raise RuntimeError(f"memory.get_context failed: {told}")

    def resident(self) -> float:
        """Megabytes that it holds."""
        return _resident(self._process)
