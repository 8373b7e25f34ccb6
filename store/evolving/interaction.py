"""Interactions: a request and its outcome, and the memories made from it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from store.model import (
    INTERACTION,
    MAX_CONTENT,
    MAX_SUMMARY,
    Category,
    Layer,
    Observation,
    layer_of,
)
from store.records import first_line

WORKING_LIFE = timedelta(hours=1)
"""How long an interaction belongs to what its task is about now (the blueprint's 3,600 s)."""
_EXPIRES, _TASK = "expiresAt", "taskId"
_ENDS = (".", "?", "!", "…")
_TAG = re.compile(r"[^a-z0-9]+")


class Interaction(NamedTuple):
    """One turn of an agent: the request, its answer, what it did and what came of it."""

    id: str
    query: str
    timestamp: datetime
    task_id: str = ""
    response: str = ""
    actions: tuple[str, ...] = ()
    outcome: str = ""
    success: bool | None = None


def records_of(interaction: Interaction, agent: str) -> list[Observation]:
    """The episodic memory of an interaction, and the procedural one where actions led somewhere."""
    records = [_episode(interaction, agent)]
    if interaction.actions and (interaction.outcome or interaction.success is not None):
        records.append(_procedure(interaction, agent))
    return records


def is_working(observation: Observation, now: datetime) -> bool:
    """Return whether a memory still belongs to what its task is about now: an open task, or an
    interaction within its hour of life.
    """
    if observation.category == INTERACTION:
        expires = expiry(observation)
        return expires is not None and expires > now
    return layer_of(observation.category) is Layer.WORKING and observation.is_open_task


def expiry(observation: Observation) -> datetime | None:
    """When an interaction of a task stops being working memory; None where it never was."""
    value = observation.extra.get(_EXPIRES)
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo else None


def task_of(observation: Observation) -> str:
    """Return the task that a memory was left by; empty for none."""
    value = observation.extra.get(_TASK)
    return value if isinstance(value, str) else ""


def task_tag(task_id: str) -> str:
    """Return the tag that finds what a task left."""
    return "task-" + (_TAG.sub("-", task_id.lower()).strip("-")[:40] or "none")


def _episode(interaction: Interaction, agent: str) -> Observation:
    parts = [interaction.query.strip()]
    if interaction.response.strip():
        parts.append(f"Answer: {interaction.response.strip()}")
    if interaction.actions:
        parts.append(f"Did: {'; '.join(interaction.actions)}")
    if interaction.outcome.strip():
        parts.append(f"Outcome: {interaction.outcome.strip()}")
    return Observation(
        agent=agent,
        issue_number=0,
        category=INTERACTION,
        content=_fitted(parts),
        summary=_summary(interaction.query, interaction.response.strip() or interaction.outcome),
        timestamp=interaction.timestamp,
        tags=(task_tag(interaction.task_id),) if interaction.task_id else (),
        extra=_extra(interaction),
    )


def _procedure(interaction: Interaction, agent: str) -> Observation:
    result = interaction.outcome.strip() or ("it worked" if interaction.success else "it failed")
    failed = " (failed)" if interaction.success is False and interaction.outcome.strip() else ""
    lines = [f"Did: {'; '.join(interaction.actions)}", f"Result{failed}: {result}"]
    return Observation(
        agent=agent,
        issue_number=0,
        category=Category.PROCEDURE,
        content=_fitted([interaction.query.strip(), *lines]),
        summary=_summary(interaction.query, ". ".join(lines)),
        timestamp=interaction.timestamp,
        tags=(task_tag(interaction.task_id),) if interaction.task_id else (),
        extra=_extra(interaction),
    )


def _summary(query: str, came: str) -> str:
    came = " ".join(came.split())
    if not came:
        return first_line(query)
    asked = first_line(query, MAX_SUMMARY // 2)
    return first_line(f"{asked}{' ' if asked.endswith(_ENDS) else ': '}{came}")


def origin_of(interaction: Interaction) -> Mapping[str, Any]:
    """Return the keys that name an interaction and its task in each memory made from it."""
    task = {_TASK: interaction.task_id} if interaction.task_id else {}
    return {"interactionId": interaction.id, **task}


def _extra(interaction: Interaction) -> Mapping[str, Any]:
    extra: dict[str, Any] = {**origin_of(interaction)}
    if interaction.task_id:
        extra[_EXPIRES] = (interaction.timestamp + WORKING_LIFE).isoformat()
    if interaction.actions:
        extra["actions"] = list(interaction.actions)
    if interaction.outcome:
        extra["outcome"] = interaction.outcome
    if interaction.success is not None:
        extra["success"] = interaction.success
    return extra


def _fitted(parts: list[str]) -> str:
    """Return the parts as lines, the longest cut first, within the limit of a memory's content."""
    room = MAX_CONTENT - len(parts) + 1
    while sum(map(len, parts)) > room:
        longest = max(range(len(parts)), key=lambda at: len(parts[at]))
        excess = sum(map(len, parts)) - room
        kept = max(len(parts[longest]) - excess, room // len(parts))
        parts[longest] = parts[longest][: kept - 1].rstrip() + "…"
    return "\n".join(parts)
