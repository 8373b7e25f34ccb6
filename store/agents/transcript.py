"""Events of an agent's session: every transcript format is read into these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple


class Speaker(StrEnum):
    USER = "user"
    AGENT = "agent"
    SUB_AGENT = "sub-agent"


class SessionInfo(NamedTuple):
    """What one line gives of a session's id and place; other fields are empty. `of_vault`: a
    vault's own program saved it.
    """

    line: int
    at: datetime | None = None
    session_id: str = ""
    folder: str = ""
    branch: str = ""
    agent: str = ""
    model: str = ""
    of_vault: bool = False


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
    """A call of a tool by the agent, or with `aside` by a sub-agent."""

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
"""Anything in a transcript. `line` counts from 1; `at` is None where unknown."""


class Line(NamedTuple):
    """Makes the events of a line, each with its number (from 1) and its time, if it has one.

    In a transcript that is one object, a line is a message, by its place among them.
    """

    number: int
    at: datetime | None = None

    def message(self, speaker: Speaker, text: str) -> Iterator[Message]:
        """Yield a message, its text stripped; nothing for an empty one."""
        if text := text.strip():
            yield Message(line=self.number, speaker=speaker, text=text, at=self.at)

    def summary(self, text: str) -> Iterator[ContextSummary]:
        """Yield a summary of the session; nothing for an empty one."""
        if text:
            yield ContextSummary(line=self.number, text=text, at=self.at)

    def info(
        self,
        *,
        session_id: str = "",
        folder: str = "",
        branch: str = "",
        agent: str = "",
        model: str = "",
    ) -> SessionInfo:
        return SessionInfo(
            line=self.number,
            at=self.at,
            session_id=session_id,
            folder=folder,
            branch=branch,
            agent=agent,
            model=model,
        )

    def call(
        self, *, call_id: str, tool: str, arguments: Mapping[str, Any], aside: bool = False
    ) -> ToolCall:
        return ToolCall(
            line=self.number,
            call_id=call_id,
            tool=tool,
            at=self.at,
            arguments=arguments,
            aside=aside,
        )

    def result(self, *, call_id: str, text: str, failed: bool = False) -> ToolResult:
        return ToolResult(line=self.number, call_id=call_id, text=text, at=self.at, failed=failed)

    def unknown_role(self, role: str) -> Unread:
        """Return that a message was not read, since its format is not known to have the role."""
        return Unread(line=self.number, reason=f"unknown role {role!r}", unknown=True)
