"""Copilot CLI's sessions: `~/.copilot/session-state/<id>/events.jsonl`.

Each line is an event `{type, data, timestamp}`. What a message holds stands in `assistant.message`;
the calls it asks for are told again, with their answers, as they run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from store.agents.client import ChannelLimits, Client, ContextFile, Head, Home, SessionFile
from store.agents.files import files_in, with_folder
from store.agents.records import Record, instant, read_records
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
)
from store.platform.json_fields import mapping, string

AGENT = "copilot"
_EXIT = re.compile(r"\n?<(?:shellId: \S+ completed|exited) with exit code (\d+)>\s*\Z")
"""How the output of a command ends."""


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    return read_records(lines, _events)


def _events(line: int, record: Record) -> Iterator[Event]:
    at, data = instant(record.get("timestamp")), mapping(record.get("data"))
    kind = string(record.get("type"))
    # What a sub-agent says and does names the call that started it.
    aside = bool(data.get("parentToolCallId"))
    if kind in {"session.start", "session.resume"}:
        yield _place(line, at, data)
    elif kind == "session.model_change":
        yield SessionInfo(line=line, at=at, model=string(data.get("newModel")))
    elif kind == "session.compaction_complete":
        if summary := string(data.get("summaryContent")).strip():
            yield ContextSummary(line, summary, at)
    elif kind == "user.message" and not aside:
        yield from _message(line, Speaker.USER, at, data)
    elif kind == "assistant.message":
        yield from _message(line, Speaker.SUB_AGENT if aside else Speaker.AGENT, at, data)
    elif kind == "tool.execution_start":
        yield ToolCall(
            line,
            string(data.get("toolCallId")),
            string(data.get("toolName")),
            at,
            mapping(data.get("arguments")),
            aside,
        )
    elif kind == "tool.execution_complete":
        yield _result(line, at, data)


def _message(line: int, speaker: Speaker, at: datetime | None, data: Record) -> Iterator[Event]:
    if text := string(data.get("content")).strip():
        yield Message(line, speaker, text, at)


def _place(line: int, at: datetime | None, data: Record) -> SessionInfo:
    place = mapping(data.get("context"))
    return SessionInfo(
        line=line,
        at=at,
        session_id=string(data.get("sessionId")),
        folder=string(place.get("cwd")),
        branch=string(place.get("branch")),
        agent=AGENT,
        model=string(data.get("selectedModel")),
    )


def _result(line: int, at: datetime | None, data: Record) -> ToolResult:
    text = string(mapping(data.get("result")).get("content"))
    text = text or string(mapping(data.get("error")).get("message"))
    ended = _EXIT.search(text)
    return ToolResult(
        line,
        string(data.get("toolCallId")),
        _EXIT.sub("", text),
        at,
        data.get("success") is False or bool(ended and ended[1] != "0"),
    )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`session-state/<id>/events.jsonl`, before `<id>.jsonl`; the first line says where it ran."""
    root = home.folder("COPILOT_HOME", ".copilot") / "session-state"
    for file in with_folder(files_in(root, ("*/events.jsonl", "*.jsonl"), AGENT), "cwd"):
        name = file.path.parent.name if file.path.stem == "events" else file.path.stem
        yield file._replace(session_id=name)


def matches_format(head: Head) -> bool:
    """A first line of the type `session.start` or another of the program's events."""
    return any(
        "." in string(record.get("type")) and isinstance(record.get("data"), dict)
        for record in head.records[:1]
    )


CLIENT = Client(
    name=AGENT,
    title="Copilot CLI",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    limits=ChannelLimits(tokenizer="gpt"),
    resume=("copilot", "--resume", "{id}"),
    asked_by=("copilot", "-s"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".github/copilot-instructions.md"),
        ContextFile("instruction", ".github/instructions/**/*.instructions.md"),
        ContextFile("agent-def", ".github/agents/*.md"),
        ContextFile("instruction", ".copilot/copilot-instructions.md", of_user=True),
    ),
)
