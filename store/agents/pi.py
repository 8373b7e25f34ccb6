"""pi's sessions: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`.

The first line tells the session. The others are a tree, each naming its parent; the branch that
leads to the last one is the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import (
    Client,
    CommandFile,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    SessionFile,
)
from store.agents.files import files_in, with_folder
from store.agents.hooks import Hook
from store.agents.records import (
    Record,
    active_branch,
    blocks,
    instant,
    json_lines,
    text_of,
    tool_call,
    unknown_role,
)
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

AGENT = "pi"
_VARIABLE, _FOLDER = "PI_CODING_AGENT_DIR", ".pi/agent"
_PROGRAM = frozenset({"custom", "branchSummary", "compactionSummary", "system", ""})


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of the session's present branch."""
    records = []
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
        elif entry[1].get("type") == "session":
            line, record = entry
            yield SessionInfo(
                line=line,
                at=instant(record.get("timestamp")),
                session_id=string(record.get("id")),
                folder=string(record.get("cwd")),
                agent=AGENT,
            )
        else:
            records.append(entry)
    for line, record in active_branch(records, "id", "parentId"):
        at, kind = instant(record.get("timestamp")), string(record.get("type"))
        if kind == "model_change":
            yield SessionInfo(line=line, at=at, model=string(record.get("modelId")))
        elif kind in {"compaction", "branch_summary"}:
            yield ContextSummary(line, string(record.get("summary")), at)
        elif kind == "message":
            yield from _message(line, record)


def _message(line: int, record: Record) -> Iterator[Event]:
    at, message = instant(record.get("timestamp")), mapping(record.get("message"))
    role, content = string(message.get("role")), message.get("content")
    if role in {"user", "assistant"}:
        speaker = Speaker.USER if role == "user" else Speaker.AGENT
        texts = [block for block in blocks(content) if block.get("type") == "text"]
        if text := text_of(texts).strip():
            yield Message(line, speaker, text, at)
        for block in blocks(content):
            if block.get("type") == "toolCall":
                yield tool_call(line, at, block, "arguments")
    elif role == "toolResult":
        yield ToolResult(
            line,
            string(message.get("toolCallId")),
            text_of(content),
            at,
            message.get("isError") is True,
        )
    elif role == "bashExecution":
        # A command that the person ran.
        call_id = string(record.get("id"))
        command = {"command": string(message.get("command"))}
        yield ToolCall(line, call_id, "bash", at, command)
        failed = message.get("exitCode") not in (0, None)
        output = string(message.get("output"))
        yield ToolResult(line, call_id, output, at, failed)
    elif role not in _PROGRAM:
        yield unknown_role(line, role)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`<agent folder>/sessions/--<folder>--/*.jsonl`; the first line says where it ran."""
    root = home.folder(_VARIABLE, _FOLDER) / "sessions"
    return with_folder(files_in(root, ("*/*.jsonl",), AGENT), "cwd")


def matches_format(head: Head) -> bool:
    """Return whether a first line of the type `session`."""
    return any(
        record.get("type") == "session" and "version" in record for record in head.records[:1]
    )


CLIENT = Client(
    name=AGENT,
    title="pi",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    hooks=Hooks(
        events=(
            Hook("session_start", "session-start", 10),
            Hook("before_agent_start", "user-prompt", 5),
            Hook("session_before_compact", "pre-compact", 20),
            Hook("agent_end", "stop", 20),
            Hook("session_shutdown", "session-end", 20),
        ),
        style="plugin",
        file=FilePlace("extensions/memtui.ts", ".pi/extensions/memtui.ts", _VARIABLE, _FOLDER),
    ),
    resume=("pi", "--session", "{id}"),
    asked_by=("pi", "-p", "--no-tools", "--no-session"),
    command=CommandFile(
        FilePlace("prompts/remember.md", ".pi/prompts/remember.md", _VARIABLE, _FOLDER)
    ),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", "CLAUDE.md"),
        ContextFile("instruction", ".pi/agent/AGENTS.md", of_user=True),
    ),
)
