"""The methods over HTTP: measured, each caller held to its token's agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memtui.serve import jsonrpc
from memtui.serve.http.app import Answer
from memtui.serve.http.metrics import Metrics
from memtui.serve.jsonrpc import Request, RpcError
from memtui.serve.rpc.server import Server, agent_of

PATH = "/api/v1/jsonrpc"


def measured(server: Server, metrics: Metrics, clock: Callable[[], float]) -> Answer:
    """Make the answer to messages, which measures how long each took."""

    def answer(data: bytes, agent: str) -> bytes:
        started = clock()
        request, reply = server.handle(data, agent)
        if reply is None:
            return b""
        if "error" in reply:
            metrics.failed(reply["error"]["code"])
        elif request is not None:
            seconds = clock() - started
            metrics.answered(request.method, _agent(request), _types(request), seconds)
        if request is not None and not request.wants_answer:
            return b""
        return jsonrpc.encode(reply)

    return answer


def _agent(request: Request) -> str:
    try:
        return agent_of(request)
    except RpcError:
        return ""


def _types(request: Request) -> str:
    """Return the types asked for; they were checked, so that they are few."""
    asked: Any = request.params.get("memory_types")
    return "+".join(sorted(set(asked))) if isinstance(asked, list) else ""
