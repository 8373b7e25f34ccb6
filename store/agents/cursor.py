"""Cursor's transcripts: `~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl`.

A line is `{role, message: {content: [...]}}`, without times, results or a session id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import (
    ChannelLimits,
    Client,
    CommandFile,
    ContextFile,
    Head,
    Home,
    Hooks,
    ServerList,
    SessionFile,
)
from store.agents.files import dashed, files_in
from store.agents.hooks import Answer, Hook
from store.agents.records import blocks, json_lines, tool_call, unknown_role
from store.agents.transcript import Event, Message, SessionInfo, Speaker, Unread
from store.platform.json_fields import mapping, string

AGENT = "cursor"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PROGRAM = frozenset({"system", "tool", ""})
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a transcript's lines."""
    yield SessionInfo(line=1, agent=AGENT)
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            yield entry
            continue
        line, record = entry
        role = string(record.get("role"))
        if role not in _SPEAKERS:
            if role not in _PROGRAM:
                yield unknown_role(line, role)
            continue
        speaker = _SPEAKERS[role]
        for block in blocks(mapping(record.get("message")).get("content")):
            text = string(block.get("text"))
            if block.get("type") == "text" and text.strip():
                query = _QUERY.search(text)
                yield Message(line=line, speaker=speaker, text=query.group(1) if query else text)
            elif block.get("type") == "tool_use":
                yield tool_call(line, None, block)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`~/.cursor/projects/<folder>/agent-transcripts/`, `<id>/<id>.jsonl` or `<id>.jsonl`."""
    root = home.path / ".cursor" / "projects"
    patterns = [f"*/agent-transcripts/{depth}" for depth in ("*/*.jsonl", "*.jsonl")]
    for file in files_in(root, patterns, AGENT):
        yield file._replace(filed_under=file.path.relative_to(root).parts[0])


def filed_as(folder: Path) -> str:
    """A folder's path with dashes; a transcript does not tell where it ran."""
    return dashed(folder).strip("-")


def matches_format(head: Head) -> bool:
    """Lines of `{role, message}`."""
    return any(
        "role" in record and isinstance(record.get("message"), dict) for record in head.records
    )


def hooks_file(home: Home, project: Path | None) -> Path:
    """The user's hooks, or a project's."""
    return (project or home.path) / ".cursor" / "hooks.json"


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    """The administrator's hooks."""
    return (home.system("", "cursor/hooks.json", "Cursor/hooks.json"),)


def servers_file(home: Home, project: Path | None) -> Path:
    """The user's servers, or a project's."""
    return (project or home.path) / ".cursor" / "mcp.json"


def command_file(home: Home, project: Path | None) -> Path:
    """A command of the user's, or of a project."""
    return (project or home.path) / ".cursor" / "commands" / "remember.md"


CLIENT = Client(
    name=AGENT,
    title="Cursor",
    session_files=session_files,
    filed_as=filed_as,
    matches_format=matches_format,
    read=read,
    limits=ChannelLimits(tokenizer="claude"),
    hooks=Hooks(
        events=(
            Hook("sessionStart", "session-start", 10),
            Hook("postToolUse", "post-tool-use", 5, "Shell"),
            Hook("preCompact", "pre-compact", 20),
            Hook("stop", "stop", 20),
            Hook("sessionEnd", "session-end", 20),
        ),
        style="flat_json",
        file=hooks_file,
        answer=Answer.ADDITIONAL_CONTEXT,
        others=other_hooks,
    ),
    resume=("cursor-agent", "--resume", "{id}"),
    servers=ServerList(servers_file, folder="${workspaceFolder}"),
    command=CommandFile(command_file),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".cursorrules"),
        ContextFile("instruction", ".cursor/rules/**/*.mdc"),
    ),
)
