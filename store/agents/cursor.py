"""Cursor's transcripts: `~/.cursor/projects/<slug>/agent-transcripts/<id>/<id>.jsonl`.

A line is `{role, message: {content: [...]}}`, without times, results or a session id. The chats of
its editor are in a database (`cursor_chats`).
"""

from __future__ import annotations

import re
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
    RuleFields,
    ServerList,
    SessionFile,
    skills_in,
)
from store.agents.cursor_chats import chat_events, chat_files, chat_lines
from store.agents.files import dashed, files_in
from store.agents.hooks import Answer, Hook
from store.agents.records import Record, blocks, read_records, tool_call
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import mapping, string

AGENT = "cursor"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PROGRAM = frozenset({"system", "tool", ""})
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.S)


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    yield Line(1).info(agent=AGENT)
    yield from read_records(lines, _events)


def _events(number: int, record: Record) -> Iterator[Event]:
    if "composerId" in record or "bubbleId" in record:
        yield from chat_events(number, record)
        return
    line, role = Line(number), string(record.get("role"))
    if role not in _SPEAKERS:
        if role not in _PROGRAM:
            yield line.unknown_role(role)
        return
    for block in blocks(mapping(record.get("message")).get("content")):
        if block.get("type") == "text":
            text = string(block.get("text"))
            query = _QUERY.search(text)
            yield from line.message(_SPEAKERS[role], query[1] if query else text)
        elif block.get("type") == "tool_use":
            yield tool_call(line, block)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`~/.cursor/projects/<folder>/agent-transcripts/`, `<id>/<id>.jsonl` or `<id>.jsonl`; and
    the chats of its editor, which has some in both: its database has more.
    """
    chats = chat_files(home, AGENT)
    yield from chats
    known = {chat.session_id for chat in chats}
    root = home.path / ".cursor" / "projects"
    patterns = [f"*/agent-transcripts/{depth}" for depth in ("*/*.jsonl", "*.jsonl")]
    for file in files_in(root, patterns, AGENT):
        if file.path.stem not in known:
            yield file._replace(filed_under=file.path.relative_to(root).parts[0])


def sub_agents(path: Path) -> Iterable[Path]:
    """`subagents/*.jsonl` beside a session's file."""
    return sorted((path.parent / "subagents").glob("*.jsonl"))


def filed_as(folder: Path) -> str:
    """Return a folder's path with dashes; a transcript does not name the folder that it ran in."""
    return dashed(folder).strip("-")


def matches_format(head: Head) -> bool:
    return any(
        "composerId" in record or ("role" in record and isinstance(record.get("message"), dict))
        for record in head.records
    )


def other_hooks(home: Home, project: Path | None) -> tuple[Path, ...]:
    return (home.system("", "cursor/hooks.json", "Cursor/hooks.json"),)


_SKILLS = (".cursor/skills", ".agents/skills", ".claude/skills", ".codex/skills")
CLIENT = Client(
    name=AGENT,
    title="Cursor",
    session_files=session_files,
    filed_as=filed_as,
    matches_format=matches_format,
    read=read,
    lines=chat_lines,
    sub_agents=sub_agents,
    hooks=Hooks(
        events=(
            Hook("sessionStart", "session-start", 10),
            Hook("postToolUse", "post-tool-use", 5, matcher="Shell"),
            Hook("preCompact", "pre-compact", 20),
            Hook("stop", "stop", 20),
            Hook("sessionEnd", "session-end", 20),
        ),
        style="json-lists",
        file=FilePlace(".cursor/hooks.json"),
        answer=Answer.ADDITIONAL_CONTEXT,
        others=other_hooks,
    ),
    resume=("cursor-agent", "--resume", "{id}"),
    servers=ServerList(FilePlace(".cursor/mcp.json"), folder="${workspaceFolder}"),
    command=CommandFile(FilePlace(".cursor/commands/remember.md")),
    context=(
        ContextFile("instruction", "AGENTS.md", nested=True),
        ContextFile("instruction", ".cursorrules"),
        ContextFile(
            "instruction", ".cursor/rules/**/*.mdc", rule=RuleFields("globs", "alwaysApply")
        ),
        *skills_in(*_SKILLS),
        *skills_in(*_SKILLS, of_user=True),
    ),
)
