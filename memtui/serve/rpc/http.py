"""The methods over HTTP: measured, each caller held to its token's agent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from time import monotonic
from typing import Any

from memtui.serve.http.endpoint import Reply
from memtui.serve.http.metrics import Metrics
from memtui.serve.jsonrpc import Request, RpcError, encode
from memtui.serve.rpc.server import Server, agent_of
from store.evolving.agent_memory import LAYERS, USUAL_LAYERS

_LOOKED_AT: Mapping[str, Collection[str]] = {
    "memory.retrieve": USUAL_LAYERS,
    "memory.get_context": LAYERS,
}
"""The layers that a method looks at where its request names none."""


class RpcEndpoint:
    """Answers requests, and measures the time of each."""

    path = "/api/v1/jsonrpc"

    def __init__(
        self, server: Server, metrics: Metrics, clock: Callable[[], float] = monotonic
    ) -> None:
        self._server = server
        self._metrics = metrics
        self._clock = clock

    def refusal(self, headers: Mapping[str, str]) -> bytes:
        """Refuse nothing for its headers."""
        return b""

    def answer(self, message: bytes, agent: str, headers: Mapping[str, str]) -> Reply:
        """Answer a message of the agent that a token is for."""
        started = self._clock()
        request, reply = self._server.handle(message, agent)
        if reply is None:
            return Reply()
        if "error" in reply:
            self._metrics.failed(reply["error"]["code"])
        elif request is not None:
            seconds = self._clock() - started
            self._metrics.answered(request.method, _agent(request), _layers(request), seconds)
        is_wanted = request is None or request.wants_answer
        return Reply(encode(reply) if is_wanted else b"")


def _agent(request: Request) -> str:
    try:
        return agent_of(request)
    except RpcError:
        return ""


def _layers(request: Request) -> Collection[str]:
    """Return the layers that a request looked at; those it names were checked."""
    asked: Any = request.params.get("memory_types")
    is_named = request.method in _LOOKED_AT and isinstance(asked, list)
    return set(asked) if is_named else _LOOKED_AT.get(request.method, ())
