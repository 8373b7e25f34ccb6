"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

What was said and done stands in `context.…` records; the events beside them repeat it.
`session_index.jsonl` says where each session ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from store.agents.client import (
    Client,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    SessionFile,
)
from store.agents.compressed import open_session_file
from store.agents.files import files_in
from store.agents.hooks import Hook
from store.agents.records import Record, instant, json_lines, read_records, text_of
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
    return read_records(lines, _events)


def _events(line: int, record: Record) -> Iterator[Event]:
    if string(record.get("agentId")) not in {_MAIN, ""}:
        return
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
            yield ContextSummary(line, text, at)
        elif origin == "user" and message.get("role") == "user" and text:
            yield Message(line, Speaker.USER, text, at)
    elif kind == "context.apply_compaction":
        if summary := string(record.get("summary")):
            yield ContextSummary(line, summary, at)
    elif kind == "context.append_loop_event":
        yield from _step(line, at, mapping(record.get("event")))


def _step(line: int, at: datetime | None, event: Record) -> Iterator[Event]:
    kind, call_id = event.get("type"), string(event.get("toolCallId"))
    if kind == "content.part":
        part = mapping(event.get("part"))
        if part.get("type") == "text" and (text := string(part.get("text")).strip()):
            yield Message(line, Speaker.AGENT, text, at)
    elif kind == "tool.call":
        yield ToolCall(line, call_id, string(event.get("name")), at, mapping(event.get("args")))
    elif kind == "tool.result":
        result = mapping(event.get("result"))
        output = result.get("output")
        yield ToolResult(
            line,
            call_id,
            output if isinstance(output, str) else text_of(output),
            at,
            result.get("isError") is True,
        )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the main agent's records of each session; the index says where it ran."""
    root = home.folder("KIMI_CODE_HOME", ".kimi-code")
    where = _index(root / "session_index.jsonl")
    for file in files_in(root / "sessions", ("*/*/agents/main/wire.jsonl",), AGENT):
        name = file.path.parents[2].name
        yield file._replace(session_id=name, folder=where.get(name, ""))


def _index(path: Path) -> dict[str, str]:
    """Return the folder of each session by its id; empty where the index can't be read."""
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
    return any(
        record.get("type") == "metadata" and "protocol_version" in record
        for record in head.records[:1]
    )


CLIENT = Client(
    name=AGENT,
    title="Kimi Code",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    hooks=Hooks(
        events=(
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="toml-tables",
        file=FilePlace("config.toml", variable="KIMI_CODE_HOME", folder=".kimi-code"),
        starts_with_prompt=True,
    ),
    resume=("kimi", "--session", "{id}"),
    context=(ContextFile("instruction", "AGENTS.md"),),
)
