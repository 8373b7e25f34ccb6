"""Copilot CLI's sessions: `~/.copilot/session-state/<id>/events.jsonl`.

Each line is an event `{type, data, timestamp}`. What a message holds is in `assistant.message`;
the calls it asks for come again, with their answers, as they run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import (
    ChannelLimits,
    Client,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    RuleFields,
    ServerList,
    SessionFile,
    Upward,
    skills_in,
)
from store.agents.files import files_in, with_folder
from store.agents.hooks import Answer, Hook
from store.agents.records import Record, instant, read_records
from store.agents.transcript import Event, Line, Speaker, ToolResult
from store.platform.json_fields import mapping, string

AGENT = "copilot"
_RULE = RuleFields("applyTo")
_EXIT = re.compile(r"\n?<(?:shellId: \S+ completed|exited) with exit code (\d+)>\s*\Z")
"""How the output of a command ends."""


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    return read_records(lines, _events)


def _events(number: int, record: Record) -> Iterator[Event]:
    line, data = Line(number, instant(record.get("timestamp"))), mapping(record.get("data"))
    kind = string(record.get("type"))
    # What a sub-agent says and does names the call that started it.
    aside = bool(data.get("parentToolCallId"))
    if kind in {"session.start", "session.resume"}:
        place = mapping(data.get("context"))
        yield line.info(
            session_id=string(data.get("sessionId")),
            folder=string(place.get("cwd")),
            branch=string(place.get("branch")),
            agent=AGENT,
            model=string(data.get("selectedModel")),
        )
    elif kind == "session.model_change":
        yield line.info(model=string(data.get("newModel")))
    elif kind == "session.compaction_complete":
        yield from line.summary(string(data.get("summaryContent")).strip())
    elif kind == "user.message" and not aside:
        yield from line.message(Speaker.USER, string(data.get("content")))
    elif kind == "assistant.message":
        speaker = Speaker.SUB_AGENT if aside else Speaker.AGENT
        yield from line.message(speaker, string(data.get("content")))
    elif kind == "tool.execution_start":
        yield line.call(
            call_id=string(data.get("toolCallId")),
            tool=string(data.get("toolName")),
            arguments=mapping(data.get("arguments")),
            aside=aside,
        )
    elif kind == "tool.execution_complete":
        yield _result(line, data)


def _result(line: Line, data: Record) -> ToolResult:
    text = string(mapping(data.get("result")).get("content"))
    text = text or string(mapping(data.get("error")).get("message"))
    ended = _EXIT.search(text)
    return line.result(
        call_id=string(data.get("toolCallId")),
        text=_EXIT.sub("", text),
        failed=data.get("success") is False or bool(ended and ended[1] != "0"),
    )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """`session-state/<id>/events.jsonl`, before `<id>.jsonl`; the first line has its folder."""
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
    hooks=Hooks(
        events=(
            Hook("sessionStart", "session-start", 10),
            Hook("userPromptSubmitted", "user-prompt", 5),
            Hook("agentStop", "stop", 20),
            Hook("sessionEnd", "session-end", 20),
        ),
        style="json-lists",
        file=FilePlace(
            "hooks/memtui.json",
            variable="COPILOT_HOME",
            folder=".copilot",
            in_project=".github/hooks/memtui.json",
        ),
        answer=Answer.CONTEXT_FIELD,
        keys=("bash", "timeoutSec"),
    ),
    resume=("copilot", "--resume", "{id}"),
    asked_by=("copilot", "-s"),
    servers=ServerList(
        FilePlace(
            "mcp-config.json",
            variable="COPILOT_HOME",
            folder=".copilot",
            in_project=".github/mcp.json",
        ),
        form="typed",
        fields={"tools": ["*"]},
    ),
    context=(
        ContextFile(
            "instruction",
            ".copilot/copilot-instructions.md",
            of_user=True,
            variable="COPILOT_HOME",
        ),
        ContextFile(
            "instruction",
            ".copilot/instructions/**/*.instructions.md",
            of_user=True,
            variable="COPILOT_HOME",
            rule=_RULE,
        ),
        ContextFile("instruction", ".github/copilot-instructions.md", upward=Upward.PROJECT),
        ContextFile(
            "instruction",
            ".github/instructions/**/*.instructions.md",
            upward=Upward.PROJECT,
            rule=_RULE,
        ),
        ContextFile("instruction", "AGENTS.md", upward=Upward.PROJECT, nested=True),
        ContextFile("instruction", "CLAUDE.md"),
        ContextFile("instruction", "GEMINI.md"),
        ContextFile("agent-def", ".github/agents/*.md"),
        *skills_in(".github/skills", ".claude/skills", ".agents/skills"),
        *skills_in(".copilot/skills", of_user=True, variable="COPILOT_HOME"),
        *skills_in(".claude/skills", ".agents/skills", of_user=True),
    ),
)
