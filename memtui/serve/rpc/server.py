"""Requests answered over one memory, each as one agent; no transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Lock, Thread
from typing import Any

from memtui.serve import jsonrpc
from memtui.serve.arguments import WrongArguments, checked
from memtui.serve.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Request,
    RpcError,
)
from memtui.serve.rpc.methods import METHODS
from store import AgentMemory
from store.errors import InvalidObservation, NotFound, StoreError
from store.evolving.context import AgentContext
from store.memory import Memory

Json = dict[str, Any]
NOT_FOUND = -32001
"""The code for a memory that the agent has not (the blueprint's)."""
ANY_AGENT = "*"
_KEPT_EVERY = timedelta(minutes=2)
"""How long accesses wait to be recorded and counted."""
_LOOK_EVERY = timedelta(milliseconds=200)
"""How long an answer may lag behind what other programs write; what came in here is seen."""


def _now() -> datetime:
    return datetime.now(UTC)


Given = tuple[set[str], AgentContext]
"""The ids that an agent was given, and the last context."""


class Accesses:
    """Collects what agents were given, and has it kept, where no answer waits for that.

    A memory that an agent was given often meanwhile counts once.
    """

    def __init__(self, keep: Callable[[Mapping[str, Given]], None]) -> None:
        self._keep = keep
        self._given: dict[str, Given] = {}
        self._since: datetime | None = None
        self._keeping: Thread | None = None
        self._lock = Lock()

    @property
    def are_kept(self) -> bool:
        """They are being kept just now: the index may have to be waited for."""
        return self._keeping is not None and self._keeping.is_alive()

    def add(self, agent: str, context: AgentContext, now: datetime) -> None:
        """Add a context that an agent was given; what has waited long enough is kept."""
        with self._lock:
            ids, _ = self._given.get(agent, (set(), context))
            self._given[agent] = ids | set(context.ids), context
            self._since = self._since or now
            if now - self._since >= _KEPT_EVERY and not self.are_kept:
                given, self._given, self._since = self._given, {}, None
                self._keeping = Thread(target=self._keep, args=(given,), name="memtui-accesses")
                self._keeping.start()

    def close(self) -> None:
        if self._keeping is not None:
            self._keeping.join()
        if self._given:
            self._keep(self._given)


class Server:
    """Answers messages. Safe to share between threads; memory is opened at the first call."""

    def __init__(
        self,
        open_memory: Callable[[], Memory],
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._open_memory = open_memory
        self._clock = clock
        self._memory: Memory | None = None
        self._opening = Lock()
        self._accesses = Accesses(self._keep_accesses)
        self._looked: datetime | None = None

    def answer(self, data: bytes, allowed: str = ANY_AGENT) -> bytes:
        """Return the answer to one message as a line; empty where none is wanted.

        `allowed` is the only agent that the caller may be; `*` for any.
        """
        request, reply = self.handle(data, allowed)
        if reply is None or (request is not None and not request.wants_answer):
            return b""
        return jsonrpc.encode(reply)

    def handle(self, data: bytes, allowed: str = ANY_AGENT) -> tuple[Request | None, Json | None]:
        """Return the request of a message, and its reply; None for what is none, or has none."""
        try:
            request = jsonrpc.parse(data)
        except RpcError as error:
            return None, jsonrpc.failure(error.id, error)
        return (None, None) if request is None else (request, self.reply(request, allowed))

    def reply(self, request: Request, allowed: str = ANY_AGENT) -> Json:
        try:
            return jsonrpc.result(request.id, self._call(request, allowed))
        except RpcError as error:
            return jsonrpc.failure(request.id, error)
        except NotFound as error:
            return jsonrpc.failure(request.id, RpcError(NOT_FOUND, error.message))
        except InvalidObservation as error:
            return jsonrpc.failure(request.id, RpcError(INVALID_PARAMS, error.told))
        except StoreError as error:
            return jsonrpc.failure(request.id, RpcError(INTERNAL_ERROR, error.told))
        except Exception as error:  # noqa: BLE001 - one request must not end the server
            told = f"memtui failed: {type(error).__name__}."
            return jsonrpc.failure(request.id, RpcError(INTERNAL_ERROR, told))

    def close(self) -> None:
        self._accesses.close()
        if self._memory is not None:
            self._memory.close()

    def _call(self, request: Request, allowed: str) -> Json:
        if request.method not in METHODS:
            raise RpcError(METHOD_NOT_FOUND, f"Unknown method. Methods: {', '.join(METHODS)}.")
        agent = agent_of(request)
        if allowed not in (ANY_AGENT, agent):
            self._opened().record_failure("access refused", f"{allowed} asked as {agent[:100]}")
            raise NotFound("Memory not found.", "")
        method = METHODS[request.method]
        try:
            params = checked(method.takes, request.params)
        except WrongArguments as error:
            raise RpcError(INVALID_PARAMS, str(error)) from error
        now = self._clock()
        memory = AgentMemory(
            self._opened(),
            agent,
            fresh=self._is_to_look(now),
            on_told=lambda agent, context: self._accesses.add(agent, context, now),
        )
        return method.carry_out(memory, params, now)

    def _is_to_look(self, now: datetime) -> bool:
        if self._accesses.are_kept:
            return False
        if self._looked is not None and timedelta() <= now - self._looked < _LOOK_EVERY:
            return False
        self._looked = now
        return True

    def _keep_accesses(self, given: Mapping[str, Given]) -> None:
        """Record what agents were given, and count it; where that fails, who opens memory next
        counts.
        """
        for agent, (ids, context) in given.items():
            self._opened().recall.record_accesses(agent, ids, context.text, context.tokens)
        with suppress(StoreError):
            self._opened().index.count_recalls()

    def _opened(self) -> Memory:
        with self._opening:
            if self._memory is None:
                self._memory = self._open_memory()
                self._memory.index.defer_recall_counts()
            return self._memory


def agent_of(request: Request) -> str:
    """Return the agent of a request: `a2a_context.source_agent`, beside the params."""
    context = request.envelope.get("a2a_context")
    agent = context.get("source_agent") if isinstance(context, dict) else None
    if not isinstance(agent, str) or not agent:
        raise RpcError(INVALID_PARAMS, "`a2a_context.source_agent` is missing, beside `params`.")
    return agent
