"""What happens in an agent's session: the events that every transcript format is read into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Speaker(StrEnum):
    """Who said something."""

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that stands in a transcript. `line` counts from 1; `at` is None where unknown."""

    line: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo(Event):
    """Where a session runs: what a line says about it; empty where it says nothing."""

    session_id: str = ""
    folder: str = ""
    branch: str = ""
    agent: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Event):
    """What a person or the agent wrote, in Markdown."""

    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSummary(Event):
    """The summary an agent wrote of its own session when the context ran full."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Event):
    """The agent called a tool. `aside`: a sub-agent did, whose words are not read."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """What a tool answered. `failed` as the agent's program recorded it."""

    call_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Event):
    """The files that the agent's program keeps copies of because the session changed them."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread(Event):
    """A line that could not be read, and why. `unknown`: it is whole, but of no known kind."""

    reason: str
    unknown: bool = False
