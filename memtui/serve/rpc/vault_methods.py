"""The methods for a vault's screen: what an agent has, its checkpoint, and the vault's upkeep.

They hold for any memory, but for upkeep, which is of vaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from memtui.serve.arguments import Arguments
from memtui.serve.jsonrpc import Json
from memtui.words.notices import sentence
from store import AgentMemory, Memory
from store.errors import Conflict
from store.model import Observation
from store.operations.apply import Applied
from store.operations.plan import Plan

_BEFORE, _SNIPPET = 30, 120
"""Characters of a snippet before the first word that was searched for, and in all."""
_Category = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")]
_Name = Annotated[str, Field(max_length=300)]


class Agents(Arguments):
    """The params of `memory.agents`: none."""


class List(Arguments):
    category: _Category | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class Search(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=1_000)]
    category: _Category | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class MessageGiven(Arguments):
    """A message of a conversation; an internal one is not kept."""

    role: Literal["user", "agent"]
    text: Annotated[str, Field(max_length=100_000)]
    internal: bool = False


class Checkpoint(Arguments):
    messages: list[MessageGiven] = Field(max_length=1_000)
    chat_id: _Name | None = None
    model_id: _Name | None = None


class Recover(Arguments):
    """The params of `memory.recover`: none."""


class Upkeep(Arguments):
    """The params of what changes a whole vault: with `dry_run` it only previews them."""

    dry_run: bool = False


def agents(memory: Memory, params: Agents, now: datetime) -> Json:
    counts = memory.search("", 0, facets=("agent",)).facets.agents
    return {
        "agents": [
            {"agent": agent, "memory_count": number} for agent, number in sorted(counts.items())
        ]
    }


def list_memories(memory: AgentMemory, params: List, now: datetime) -> Json:
    found = memory.list_memories(params.category or "", params.limit, params.offset)
    return {
        "memories": [_memory(one) for one in found.memories],
        "total": found.total,
        "by_category": dict(found.by_category),
    }


def search(memory: AgentMemory, params: Search, now: datetime) -> Json:
    found = memory.search_memories(params.query, params.category or "", params.limit)
    return {
        "memories": [
            {
                **_memory(one),
                "score": round(score, 4),
                "snippet": _snippet(one.content, params.query),
            }
            for one, score in found
        ]
    }


def checkpoint(memory: AgentMemory, params: Checkpoint, now: datetime) -> Json:
    messages = [message.model_dump() for message in params.messages]
    kept = memory.checkpoint(messages, params.chat_id, params.model_id)
    return {"success": kept is not None, "message_count": len(kept.messages) if kept else 0}


def recover(memory: AgentMemory, params: Recover, now: datetime) -> Json:
    found = memory.recover()
    if found is None:
        return {"checkpoint": None}
    return {
        "checkpoint": {
            "saved_at": _time(found.saved_at),
            "messages": [message._asdict() for message in found.messages],
            "chat_id": found.chat_id or None,
            "model_id": found.model_id or None,
        }
    }


def compact(memory: Memory, params: Upkeep, now: datetime) -> Json:
    _check_allowed(memory, params)
    plan, last = memory.vault.plan(), memory.vault.last_report()
    figures = plan.action.figures
    applied = None if params.dry_run or plan.is_empty else memory.vault.compact(plan)
    return {
        "checkpoints_cleaned": figures.get("checkpoints", 0),
        "conversations_trimmed": figures.get("conversations", 0),
        "memories_extracted": figures.get("extracted", 0),
        "vault_entries_merged": figures.get("memories", 0),
        "legacy_files_cleaned": figures.get("legacy", 0),
        "last_compaction": last,
        **_done(plan, applied),
    }


def migrate(memory: Memory, params: Upkeep, now: datetime) -> Json:
    _check_allowed(memory, params)
    plan = memory.exchange.plan_migration()
    applied = None if params.dry_run or plan.is_empty else memory.apply(plan)
    skipped = [note for note in plan.notes if note.kind == "not-migrated"]
    return {
        "migrated": [move.source for move in plan.moves],
        "skipped": [str(note.values["file"]) for note in skipped],
        "memory_count": len(plan.changes),
        **_done(plan, applied),
    }


def _check_allowed(memory: Memory, params: Upkeep) -> None:
    """Raise `Conflict` where only a person may change all of memory at once."""
    if memory.settings.review == "before" and not params.dry_run:
        raise Conflict(
            "The user approves what agents change here.", "Preview it with `dry_run`, and ask them."
        )


def _done(plan: Plan, applied: Applied | None) -> Json:
    """Return whether a plan was carried out, the operation to undo, and what was left, and why."""
    left = [note for note in plan.notes if note.place] + list(applied.left if applied else ())
    return {
        "applied": applied is not None,
        "operation_id": applied.operation_id if applied else "",
        "warnings": list(map(sentence, left)),
    }


def _memory(one: Observation) -> Mapping[str, object]:
    return {
        "memory_id": one.id,
        "category": one.category,
        "summary": one.summary,
        "content": one.content,
        "tags": list(one.tags),
        "timestamp": _time(one.timestamp),
    }


def _snippet(content: str, query: str) -> str:
    """Return the text around the first of a query's words; the beginning where it has none."""
    lowered = content.lower()
    found = [lowered.find(word) for word in query.lower().split()]
    at = min((place for place in found if place >= 0), default=0)
    return content[max(0, at - _BEFORE) :][:_SNIPPET]


def _time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
