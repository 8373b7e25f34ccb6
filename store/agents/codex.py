"""Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.

A line is `{timestamp, type, payload}`. What a person wrote stands twice, as a response item and as
an event: the response items are read. Reasoning is encrypted and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from store.agents.client import ChannelLimits, Client, ContextFile, Head, Home, SessionFile
from store.agents.files import files_in, ran_in
from store.agents.records import Record, instant, json_lines, mapping, string, text_of
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

AGENT = "codex"
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EXIT_CODE = re.compile(r"(?:Exit code|exited with code):? (\d+)")
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a rollout's lines."""
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
            continue
        line, record = entry
        kind = string(record.get("type"))
        payload = mapping(record.get("payload"))
        if kind in {"session_meta", "turn_context"}:
            yield SessionInfo(
                line=line,
                session_id=string(payload.get("id")),
                folder=string(payload.get("cwd")),
                branch=string(mapping(payload.get("git")).get("branch")),
                agent=AGENT,
            )
        elif kind == "compacted":
            at = instant(record.get("timestamp"))
            yield ContextSummary(line=line, at=at, text=string(payload.get("message")))
        elif kind == "response_item":
            yield from _item(line, record, payload)


def _item(line: int, record: Record, payload: Record) -> Iterator[Event]:
    at = instant(record.get("timestamp"))
    kind = string(payload.get("type")) or "message"
    call_id = string(payload.get("call_id"))
    role = string(payload.get("role"))
    if kind == "message" and role in {"user", "assistant"}:
        speaker = Speaker.USER if role == "user" else Speaker.AGENT
        text = text_of(payload.get("content"))
        if text.strip():
            yield Message(line=line, at=at, speaker=speaker, text=text)
    elif kind in _CALLS:
        tool = string(payload.get("name")) or "shell"
        yield ToolCall(line=line, at=at, call_id=call_id, tool=tool, arguments=_arguments(payload))
    elif kind in _OUTPUTS:
        text, failed = _output(payload.get("output"))
        yield ToolResult(line=line, at=at, call_id=call_id, text=text, failed=failed)


def _arguments(payload: Record) -> Record:
    """A call's arguments, which stand as an object, as JSON in a string, or as bare text."""
    for key in ("arguments", "input", "action"):
        value = payload.get(key)
        if isinstance(value, dict):
            return value
        if isinstance(value, str):
            return _object(value) or {"input": value}
    return {}


def _object(text: str) -> dict[str, Any] | None:
    import orjson

    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def _output(output: object) -> tuple[str, bool]:
    text = output if isinstance(output, str) else text_of(output)
    wrapped = _object(text) if text.startswith("{") else None
    if wrapped is not None and "output" in wrapped:
        code = mapping(wrapped.get("metadata")).get("exit_code", 0)
        return string(wrapped.get("output")), code not in (0, None)
    code_line = _EXIT_CODE.search(text[:200])
    return text, bool(code_line and code_line.group(1) != "0")


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`<config>/sessions/YYYY/MM/DD/rollout-*.jsonl`; the first line says where it ran."""
    root = home.folder("CODEX_HOME", ".codex")
    patterns = ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")
    return ran_in(files_in(root, patterns, AGENT), "cwd", folders)


def recognises(head: Head) -> bool:
    """Lines of `{type, payload}`."""
    return any(
        string(record.get("type")) in _TYPES and "payload" in record for record in head.records
    )


CLIENT = Client(
    name=AGENT,
    title="Codex",
    session_files=session_files,
    recognises=recognises,
    read=read,
    limits=ChannelLimits(bytes=10_000, tokenizer="gpt"),
    resume=("codex", "resume", "{id}"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".codex/AGENTS.md", of_user=True),
        ContextFile("memory", ".codex/memories/memory_summary.md", of_user=True),
    ),
)
