"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

What was said and done stands in `context.…` records; the events beside them repeat it.
`session_index.jsonl` says where each session ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import ChannelLimits, Client, ContextFile, Head, Home, Hooks, SessionFile
from store.agents.compressed import open_session_file
from store.agents.files import files_in
from store.agents.hooks import Hook
from store.agents.records import Record, instant, json_lines, text_of
from store.agents.transcript import (
    ContextSummary,
    Event,
    Message,
    SessionInfo,
    Speaker,
    ToolCall,
    ToolResult,
    Unread,
)
from store.platform.json_fields import mapping, string

AGENT = "kimi"
_MAIN = "main"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a session's records."""
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
            continue
        line, record = entry
        if string(record.get("agentId")) not in {_MAIN, ""}:
            continue
        at, kind = instant(record.get("time")), record.get("type")
        if kind == "profile.bind":
            folder = string(mapping(record.get("environmentDisclosure")).get("cwd"))
            model = string(record.get("modelAlias"))
            yield SessionInfo(line=line, at=at, folder=folder, agent=AGENT, model=model)
        elif kind == "context.append_message":
            message = mapping(record.get("message"))
            origin = mapping(message.get("origin")).get("kind")
            text = text_of(message.get("content")).strip()
            if origin == "compaction_summary" and text:
                yield ContextSummary(line=line, at=at, text=text)
            elif origin == "user" and message.get("role") == "user" and text:
                yield Message(line=line, at=at, speaker=Speaker.USER, text=text)
        elif kind == "context.apply_compaction":
            if summary := string(record.get("summary")):
                yield ContextSummary(line=line, at=at, text=summary)
        elif kind == "context.append_loop_event":
            yield from _step(line, record, mapping(record.get("event")))


def _step(line: int, record: Record, event: Record) -> Iterator[Event]:
    at, kind, call_id = (
        instant(record.get("time")),
        event.get("type"),
        string(event.get("toolCallId")),
    )
    if kind == "content.part":
        part = mapping(event.get("part"))
        if part.get("type") == "text" and (text := string(part.get("text")).strip()):
            yield Message(line=line, at=at, speaker=Speaker.AGENT, text=text)
    elif kind == "tool.call":
        yield ToolCall(
            line=line,
            at=at,
            call_id=call_id,
            tool=string(event.get("name")),
            arguments=mapping(event.get("args")),
        )
    elif kind == "tool.result":
        result = mapping(event.get("result"))
        output = result.get("output")
        yield ToolResult(
            line=line,
            at=at,
            call_id=call_id,
            text=output if isinstance(output, str) else text_of(output),
            failed=result.get("isError") is True,
        )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """The main agent's records of each session; the index says where it ran."""
    root = home.folder("KIMI_CODE_HOME", ".kimi-code")
    where = _index(root / "session_index.jsonl")
    for file in files_in(root / "sessions", ("*/*/agents/main/wire.jsonl",), AGENT):
        name = file.path.parents[2].name
        yield file._replace(session_id=name, folder=where.get(name, ""))


def _index(path: Path) -> dict[str, str]:
    """Folder of each session by its id; empty where the index can't be read."""
    try:
        with open_session_file(path) as lines:
            return {
                string(entry[1].get("sessionId")): string(entry[1].get("workDir"))
                for entry in json_lines(lines)
                if not isinstance(entry, Unread)
            }
    except OSError:
        return {}


def matches_format(head: Head) -> bool:
    """A first line that tells the protocol's version."""
    return any(
        record.get("type") == "metadata" and "protocol_version" in record
        for record in head.records[:1]
    )


def hooks_file(home: Home, project: Path | None) -> Path:
    """The user's settings: there are none of a project."""
    return home.folder("KIMI_CODE_HOME", ".kimi-code") / "config.toml"


CLIENT = Client(
    name=AGENT,
    title="Kimi Code",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    limits=ChannelLimits(tokenizer="claude"),
    hooks=Hooks(
        events=(
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="toml_tables",
        file=hooks_file,
        starts_with_prompt=True,
    ),
    resume=("kimi", "--session", "{id}"),
    context=(ContextFile("instruction", "AGENTS.md"),),
)
