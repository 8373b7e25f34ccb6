"""The methods: what each takes, checked, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memtui.serve.jsonrpc import INVALID_PARAMS, RpcError
from memtui.serve.schema import mistake, object_schema

if TYPE_CHECKING:
    from store import AgentMemory

Json = dict[str, Any]
Params = Mapping[str, Any]
Method = Callable[["AgentMemory", Params, datetime], Json]

LONGEST = 100_000
"""Characters of a request or an answer that are read (the blueprint's limit)."""
MOST_TOKENS = 20_000
NO_QUERY = "The query is empty"
_MEMORY_TYPES = ("working", "episodic", "semantic", "procedural")
_STRATEGIES = ("least_relevant", "oldest_first", "frequency_based")
_FIELDS = ("content", "summary", "relevance_score")
_ID: Json = {"type": "string", "minLength": 1, "maxLength": 300}
_TASK_ID: Json = {"type": ["string", "null"], "maxLength": 300}


_INTERACTION = object_schema(
    ("id", "query", "timestamp"),
    id=_ID,
    task_id=_TASK_ID,
    query={"type": "string", "minLength": 1, "maxLength": LONGEST},
    response={"type": ["string", "null"], "maxLength": 10 * LONGEST},
    actions={"type": "array", "items": {"type": "string", "maxLength": 2_000}, "maxItems": 100},
    outcome={"type": ["string", "null"], "maxLength": LONGEST},
    success={},
    timestamp={"type": "string", "maxLength": 60},
)
SCHEMAS: Mapping[str, Json] = {
    "memory.store": object_schema(("interaction",), interaction=_INTERACTION),
    "memory.retrieve": object_schema(
        ("query",),
        query={"type": "string", "minLength": 1, "maxLength": 10_000},
        k={"type": "integer", "minimum": 1, "maximum": 50},
        memory_types={
            "type": "array",
            "items": {"type": "string", "enum": list(_MEMORY_TYPES)},
            "minItems": 1,
            "maxItems": 4,
        },
    ),
    "memory.get_context": object_schema(
        ("query",),
        query={"type": "string", "maxLength": 10_000},
        task_id=_TASK_ID,
        max_tokens={"type": "integer", "minimum": 1, "maximum": MOST_TOKENS},
    ),
    "memory.update": object_schema(
        ("memory_id", "updates"),
        memory_id=_ID,
        updates=object_schema(
            content={"type": "string", "minLength": 1, "maxLength": LONGEST},
            summary={"type": "string", "minLength": 1, "maxLength": 2_000},
            relevance_score={"type": "number", "minimum": 0, "maximum": 1},
        ),
    ),
    "memory.delete": object_schema(("memory_id",), memory_id=_ID, forget={"type": "boolean"}),
    "memory.prune": object_schema(
        ("strategy",),
        memory_type={"type": "string", "enum": list(_MEMORY_TYPES)},
        strategy={"type": "string", "enum": list(_STRATEGIES)},
    ),
    "memory.stats": object_schema(),
}
"""What each method takes."""


def check(name: str, params: Params) -> None:
    """Raise `RpcError` for params that a method does not take."""
    if wrong := mistake(params, SCHEMAS[name], "The params"):
        raise RpcError(INVALID_PARAMS, wrong)


def store(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """Keep an interaction."""
    from memtui.words.notices import sentence
    from store.evolving.interaction import Interaction

    given = params["interaction"]
    if not given["query"].strip():
        raise RpcError(INVALID_PARAMS, "The interaction's query is empty.")
    success = given.get("success")
    if not isinstance(success, bool | None):
        raise RpcError(INVALID_PARAMS, "`success` must be true, false or null.")
    response = _optional(given, "response")
    kept = memory.add_interaction(
        Interaction(
            given["id"],
            given["query"],
            _time(given["timestamp"], now),
            _optional(given, "task_id"),
            response[:LONGEST],
            tuple(given.get("actions", ())),
            _optional(given, "outcome")[:2_000],
            success,
        )
    )
    answer: Json = {
        "success": True,
        "memory_id": kept.id,
        "semantic_memory_ids": list(kept.semantic_ids),
    }
    if kept.procedural_id:
        answer["procedural_memory_id"] = kept.procedural_id
    warnings = list(map(sentence, kept.notices))
    if len(response) > LONGEST:
        warnings.append(f"The response is longer than {LONGEST:,} characters; the rest was cut")
    return answer | ({"warnings": warnings} if warnings else {})


def retrieve(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """The most important memories that a question finds."""
    from store.model import Layer

    if not params["query"].strip():
        return {"memories": [], "warning": NO_QUERY}
    layers = [Layer(name) for name in params.get("memory_types", ())]
    found = memory.retrieve_memories(params["query"], now, k=params.get("k", 5), layers=layers)
    return {
        "memories": [
            {
                "memory_id": it.observation.id,
                "memory_type": str(it.layer),
                "summary": it.observation.summary,
                "timestamp": _told(it.observation.timestamp),
                "relevance_score": round(it.relevance, 4),
                "importance_score": round(it.importance, 4),
            }
            for it in found
        ]
    }


def get_context(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """What matters for a question and a task, as one text."""
    empty = not params["query"].strip()
    if empty:
        return {"context": "", "token_count": 0, "memory_count": 0, "warning": NO_QUERY}
    found = memory.relevant_context(
        params["query"],
        now,
        task_id=_optional(params, "task_id"),
        max_tokens=params.get("max_tokens", 2_000),
    )
    answer: Json = {
        "context": found.text,
        "token_count": found.tokens,
        "memory_count": len(found.ids),
    }
    if found.truncated:
        from store.evolving.context import TRUNCATED

        answer |= {"truncated": True, "warning": TRUNCATED}
    return answer


def update(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """Change fields of a memory."""
    updates = params["updates"]
    if not updates:
        raise RpcError(INVALID_PARAMS, f"No updates. Fields: {', '.join(_FIELDS)}.")
    return {"success": True, "updated_fields": memory.update_memory(params["memory_id"], updates)}


def delete(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """Delete a memory; with `forget` for good."""
    memory.delete_memory(params["memory_id"], forget=params.get("forget", False))
    return {"success": True, "memory_id": params["memory_id"]}


def prune(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """Archive what is beyond a layer's capacity."""
    from store.model import Layer

    name = params.get("memory_type")
    done = memory.prune_memories(params["strategy"], Layer(name) if name else None)
    return {
        "pruned_count": done.archived,
        "archived_count": done.archived,
        "remaining_count": done.remaining,
    }


def stats(memory: AgentMemory, params: Params, now: datetime) -> Json:
    """How much the agent remembers."""
    found = memory.statistics(now)
    return {
        "total_memories": found.total,
        "by_type": {name: found.by_layer.get(name, 0) for name in _MEMORY_TYPES},
        "avg_relevance": round(found.average_relevance, 4),
        "total_size_mb": round(found.size / 1_000_000, 6),
    }


METHODS: Mapping[str, Method] = {
    "memory.store": store,
    "memory.retrieve": retrieve,
    "memory.get_context": get_context,
    "memory.update": update,
    "memory.delete": delete,
    "memory.prune": prune,
    "memory.stats": stats,
}
"""By their names."""


def _optional(given: Params, name: str) -> str:
    """A text that may be missing or null."""
    value = given.get(name)
    if not isinstance(value, str | None):
        raise RpcError(INVALID_PARAMS, f"`{name}` must be a string or null.")
    return value or ""


def _time(text: str, now: datetime) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        at = (at if at.tzinfo else at.replace(tzinfo=now.tzinfo)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise RpcError(INVALID_PARAMS, "`timestamp` must be an ISO 8601 time.") from error
    if at > now:
        raise RpcError(INVALID_PARAMS, "`timestamp` is in the future.")
    return at


def _told(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
