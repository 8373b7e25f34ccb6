"""The methods over one memory, each held to the agent that asks; no transport."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Lock, Thread

from memtui.serve.arguments import WrongArguments, checked
from memtui.serve.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, Json, Request, RpcError
from memtui.serve.rpc.description import DISCOVER, openrpc
from memtui.serve.rpc.methods import METHODS, Store
from memtui.serve.server import ANY_AGENT, MemoryServer
from store import AgentMemory
from store.errors import NotFound, StoreError
from store.evolving.context import AgentContext
from store.memory import Memory

_KEPT_EVERY = timedelta(minutes=2)
"""How long accesses wait to be recorded and counted."""
_LOOK_EVERY = timedelta(milliseconds=200)
"""How long an answer may lag behind what other programs write; what came in here is seen."""
Given = tuple[Counter[str], AgentContext]
"""The ids that an agent was given, in how many calls each, and the last context with a text."""


def _now() -> datetime:
    return datetime.now(UTC)


class Accesses:
    """Collects what agents were given, and has it kept, where no answer waits for that."""

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
        """Add an answer that an agent was given; what has waited long enough is kept."""
        with self._lock:
            accesses, last = self._given.get(agent, (Counter[str](), context))
            accesses.update(context.ids)
            self._given[agent] = accesses, context if context.text else last
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


class Server(MemoryServer):
    """Answers each request as the agent that it names."""

    def __init__(
        self, open_memory: Callable[[], Memory], clock: Callable[[], datetime] = _now
    ) -> None:
        def opened() -> Memory:
            memory = open_memory()
            memory.index.defer_recall_counts()
            return memory

        super().__init__(opened)
        self._clock = clock
        self._accesses = Accesses(self._keep_accesses)
        self._looked: datetime | None = None

    def close(self) -> None:
        self._accesses.close()
        super().close()

    def result(self, request: Request, caller: str) -> Json:
        """Carry out a method. `caller` is the only agent that a request may name; any where it is
        `*` or empty.
        """
        if request.method == DISCOVER:
            return openrpc()
        if request.method not in METHODS:
            raise RpcError(METHOD_NOT_FOUND, f"Unknown method. Methods: {', '.join(METHODS)}.")
        agent = agent_of(request)
        method = METHODS[request.method]
        if caller not in ("", ANY_AGENT) and (method.of_all or caller != agent):
            asked = request.method if method.of_all else f"as {agent[:100]}"
            self.memory.record_failure("access refused", f"{caller} asked {asked}")
            raise NotFound("Memory not found.", "")
        try:
            params = checked(method.takes, request.params)
        except WrongArguments as error:
            raise RpcError(INVALID_PARAMS, str(error)) from error
        now = self._clock()
        if method.of_all:
            return method.carry_out(self.memory, params, now)
        memory = AgentMemory(
            self.memory_at(params.interaction.level if isinstance(params, Store) else ""),
            agent,
            fresh=self._is_to_look(now),
            on_given=lambda agent, context: self._accesses.add(agent, context, now),
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
        for agent, (accesses, context) in given.items():
            self.memory.recall.record_accesses(agent, accesses, context.text, context.tokens)
        with suppress(StoreError):
            self.memory.index.count_recalls()


def agent_of(request: Request) -> str:
    """Return the agent of a request: `a2a_context.source_agent`, a sibling of the params."""
    context = request.envelope.get("a2a_context")
    agent = context.get("source_agent") if isinstance(context, dict) else None
    if not isinstance(agent, str) or not agent:
        raise RpcError(INVALID_PARAMS, "`a2a_context.source_agent` is missing, beside `params`.")
    return agent
