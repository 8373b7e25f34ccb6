"""The methods: what each takes, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from memtui.serve.arguments import Arguments
from memtui.serve.jsonrpc import INVALID_PARAMS, Json, RpcError
from memtui.serve.rpc import vault_methods
from memtui.words.notices import sentence
from store import AgentMemory
from store.evolving.context import TRUNCATED, Retrieved
from store.evolving.interaction import Interaction
from store.model import Layer

LONGEST = 100_000
"""Characters of a request or an answer that are read (the blueprint's limit)."""
MOST_TOKENS = 20_000
"""The largest context (SPEC-29's budget)."""
NO_QUERY = "The query is empty"
_MEMORY_TYPES = ("working", "episodic", "semantic", "procedural")
_MemoryType = Literal["working", "episodic", "semantic", "procedural"]
_Id = Annotated[str, Field(min_length=1, max_length=300)]
_Text = Annotated[str, Field(min_length=1, max_length=LONGEST)]


class InteractionGiven(Arguments):
    """A request of an agent, and how it went."""

    id: _Id
    task_id: Annotated[str | None, Field(max_length=300)] = None
    query: _Text
    response: Annotated[str | None, Field(max_length=10 * LONGEST)] = None
    actions: list[Annotated[str, Field(max_length=2_000)]] = Field([], max_length=100)
    outcome: Annotated[str | None, Field(max_length=LONGEST)] = None
    success: bool | None = None
    level: Literal["", "project", "mine"] = ""
    timestamp: Annotated[str, Field(max_length=60)]


class Store(Arguments):
    interaction: InteractionGiven


class Retrieve(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    k: Annotated[int, Field(ge=1, le=50)] = 5
    memory_types: Annotated[list[_MemoryType], Field(min_length=1, max_length=4)] | None = None


class GetContext(Arguments):
    query: Annotated[str, Field(max_length=10_000)]
    task_id: Annotated[str | None, Field(max_length=300)] = None
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 2_000


class Updates(Arguments):
    """The fields of a memory that may be changed."""

    content: _Text | None = None
    summary: Annotated[str, Field(min_length=1, max_length=2_000)] | None = None
    relevance_score: Annotated[float, Field(ge=0, le=1)] | None = None


class Update(Arguments):
    memory_id: _Id
    updates: Updates


class Delete(Arguments):
    memory_id: _Id
    forget: bool = False


class Prune(Arguments):
    memory_type: _MemoryType | None = None
    strategy: Literal["least_relevant", "oldest_first", "frequency_based"]


class Stats(Arguments):
    """The params of `memory.stats`: none."""


def store(memory: AgentMemory, params: Store, now: datetime) -> Json:
    given = params.interaction
    if not given.query.strip():
        raise RpcError(INVALID_PARAMS, "The interaction's query is empty.")
    response = given.response or ""
    kept = memory.add_interaction(
        Interaction(
            id=given.id,
            query=given.query,
            timestamp=_time(given.timestamp, now),
            task_id=given.task_id or "",
            response=response[:LONGEST],
            actions=tuple(given.actions),
            outcome=(given.outcome or "")[:2_000],
            success=given.success,
        ),
        given.level,
    )
    answer: Json = {
        "success": True,
        "memory_id": kept.id,
        "semantic_memory_ids": list(kept.semantic_ids),
        **_waiting(kept.waiting),
    }
    if kept.procedural_id:
        answer["procedural_memory_id"] = kept.procedural_id
    warnings = list(map(sentence, kept.notices))
    if len(response) > LONGEST:
        warnings.append(f"The response is longer than {LONGEST:,} characters; the rest was cut")
    return answer | ({"warnings": warnings} if warnings else {})


def retrieve(memory: AgentMemory, params: Retrieve, now: datetime) -> Json:
    if not params.query.strip():
        return {"memories": [], "warning": NO_QUERY}
    layers = [Layer(name) for name in params.memory_types or ()]
    found = memory.retrieve_memories(params.query, now, k=params.k, layers=layers)
    return {"memories": list(map(_retrieved, found))}


def _retrieved(hit: Retrieved) -> Json:
    memory: Json = {
        "memory_id": hit.observation.id,
        "memory_type": str(hit.layer),
        "summary": hit.observation.summary,
        "timestamp": hit.observation.timestamp.isoformat().replace("+00:00", "Z"),
        "relevance_score": round(hit.relevance, 4),
        "importance_score": round(hit.importance, 4),
    }
    if hit.contradicted_by:
        memory["contradicted_by"] = hit.contradicted_by
    if hit.contradicts:
        memory["contradicts"] = list(hit.contradicts)
    return memory


def get_context(memory: AgentMemory, params: GetContext, now: datetime) -> Json:
    if not params.query.strip():
        return {"context": "", "token_count": 0, "memory_count": 0, "warning": NO_QUERY}
    found = memory.relevant_context(
        params.query,
        now,
        task_id=params.task_id or "",
        max_tokens=params.max_tokens,
    )
    answer: Json = {
        "context": found.text,
        "token_count": found.tokens,
        "memory_count": len(found.ids),
    }
    if found.truncated:
        answer |= {"truncated": True, "warning": TRUNCATED}
    return answer


def update(memory: AgentMemory, params: Update, now: datetime) -> Json:
    updates = params.updates.model_dump(exclude_none=True)
    if not updates:
        fields = ", ".join(Updates.model_fields)
        raise RpcError(INVALID_PARAMS, f"No updates. Fields: {fields}.")
    waiting = memory.update_memory(params.memory_id, updates).waiting
    return {
        "success": True,
        "updated_fields": [] if waiting else list(updates),
        **_waiting(waiting),
    }


def delete(memory: AgentMemory, params: Delete, now: datetime) -> Json:
    waiting = memory.delete_memory(params.memory_id, forget=params.forget).waiting
    return {"success": True, "memory_id": params.memory_id, **_waiting(waiting)}


def _waiting(ids: Sequence[str]) -> Json:
    """Return the ids in the inbox of what the user is to approve first; nothing where none is."""
    return {"waiting": list(ids)} if ids else {}


def prune(memory: AgentMemory, params: Prune, now: datetime) -> Json:
    name = params.memory_type
    done = memory.prune_memories(params.strategy, Layer(name) if name else None)
    return {
        "pruned_count": done.archived,
        "archived_count": done.archived,
        "remaining_count": done.remaining,
        **_waiting(done.waiting),
    }


def stats(memory: AgentMemory, params: Stats, now: datetime) -> Json:
    found = memory.statistics(now)
    return {
        "total_memories": found.total,
        "by_type": {name: found.by_layer.get(name, 0) for name in _MEMORY_TYPES},
        "avg_relevance": round(found.average_relevance, 4),
        "total_size_mb": round(found.size / 1_000_000, 6),
    }


class Method(NamedTuple):
    """A method: what it takes, and what carries it out. `of_all`: it is asked of the whole memory,
    by a caller that may be any agent.
    """

    takes: type[Arguments]
    carry_out: Callable[[Any, Any, datetime], Json]
    of_all: bool = False


METHODS: Mapping[str, Method] = {
    "memory.store": Method(Store, store),
    "memory.retrieve": Method(Retrieve, retrieve),
    "memory.get_context": Method(GetContext, get_context),
    "memory.update": Method(Update, update),
    "memory.delete": Method(Delete, delete),
    "memory.prune": Method(Prune, prune),
    "memory.stats": Method(Stats, stats),
    "memory.list": Method(vault_methods.List, vault_methods.list_memories),
    "memory.search": Method(vault_methods.Search, vault_methods.search),
    "memory.checkpoint": Method(vault_methods.Checkpoint, vault_methods.checkpoint),
    "memory.recover": Method(vault_methods.Recover, vault_methods.recover),
    "memory.agents": Method(vault_methods.Agents, vault_methods.agents, of_all=True),
    "memory.compact": Method(vault_methods.Upkeep, vault_methods.compact, of_all=True),
    "memory.migrate": Method(vault_methods.Upkeep, vault_methods.migrate, of_all=True),
}
"""By their names."""


def _time(text: str, now: datetime) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        at = (at if at.tzinfo else at.replace(tzinfo=now.tzinfo)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise RpcError(INVALID_PARAMS, "`timestamp` must be an ISO 8601 time.") from error
    if at > now:
        raise RpcError(INVALID_PARAMS, "`timestamp` is in the future.")
    return at
