"""Events of an agent's session: every transcript format is read into these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple


class Speaker(StrEnum):
    """The speaker of a message."""

    USER = "user"
    AGENT = "agent"
    SUB_AGENT = "sub-agent"


class SessionInfo(NamedTuple):
    """A session's place, as one line tells it; fields are empty where it says nothing."""

    line: int
    at: datetime | None = None
    session_id: str = ""
    folder: str = ""
    branch: str = ""
    agent: str = ""
    model: str = ""


class Message(NamedTuple):
    """A message of a person, the agent or a sub-agent, in Markdown."""

    line: int
    speaker: Speaker
    text: str
    at: datetime | None = None


class ContextSummary(NamedTuple):
    """The summary an agent wrote of its own session when the context ran full."""

    line: int
    text: str
    at: datetime | None = None


class ToolCall(NamedTuple):
    """The agent called a tool. `aside`: a sub-agent did."""

    line: int
    call_id: str
    tool: str
    at: datetime | None = None
    arguments: Mapping[str, Any] = MappingProxyType({})
    aside: bool = False


class ToolResult(NamedTuple):
    """A tool's answer. `failed` as the agent's program recorded it."""

    line: int
    call_id: str
    text: str
    at: datetime | None = None
    failed: bool = False


class Snapshot(NamedTuple):
    """The files that the agent's program keeps copies of because the session changed them."""

    line: int
    paths: tuple[str, ...]
    at: datetime | None = None


class Unread(NamedTuple):
    """A line that could not be read, and why. `unknown`: it is whole, but of no known kind."""

    line: int
    reason: str
    unknown: bool = False
    at: datetime | None = None


Event = SessionInfo | Message | ContextSummary | ToolCall | ToolResult | Snapshot | Unread
"""Something that stands in a transcript. `line` counts from 1; `at` is None where unknown."""


class Line(NamedTuple):
    """A line of a transcript, `at` the time that it tells: what makes the events that stand there.

    Where a transcript is one object, its lines are its messages.
    """

    number: int
    at: datetime | None = None

    def message(self, speaker: Speaker, text: str) -> Iterator[Message]:
        """Yield what somebody said, without the blanks around it; nothing for blanks alone."""
        if text := text.strip():
            yield Message(self.number, speaker, text, self.at)

    def summary(self, text: str) -> Iterator[ContextSummary]:
        """Yield a summary of the session; nothing for an empty one."""
        if text:
            yield ContextSummary(self.number, text, self.at)

    def info(
        self,
        *,
        session_id: str = "",
        folder: str = "",
        branch: str = "",
        agent: str = "",
        model: str = "",
    ) -> SessionInfo:
        return SessionInfo(self.number, self.at, session_id, folder, branch, agent, model)

    def call(
        self, *, call_id: str, tool: str, arguments: Mapping[str, Any], aside: bool = False
    ) -> ToolCall:
        return ToolCall(self.number, call_id, tool, self.at, arguments, aside)

    def result(self, *, call_id: str, text: str, failed: bool = False) -> ToolResult:
        return ToolResult(self.number, call_id, text, self.at, failed)

    def unknown_role(self, role: str) -> Unread:
        """Return a message of a role that its format is not known to have."""
        return Unread(self.number, f"unknown role {role!r}", unknown=True)
