"""pi's sessions: `~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl`.

The first line is the session's. The others are a tree, each naming its parent; the branch that
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
    ServerList,
    SessionFile,
    Upward,
    skills_in,
)
from store.agents.files import files_in, first_string, with_folder
from store.agents.hooks import Hook
from store.agents.records import (
    Record,
    active_branch,
    all_records,
    blocks,
    instant,
    text_of,
    tool_call,
)
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import mapping, string

AGENT = "pi"
_VARIABLE, _FOLDER = "PI_CODING_AGENT_DIR", ".pi/agent"
_PROGRAM = frozenset({"custom", "branchSummary", "compactionSummary", "system", ""})


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of the session's present branch."""
    records, unread = all_records(lines)
    entries = []
    for number, record in records:
        if record.get("type") == "session":
            yield Line(number, instant(record.get("timestamp"))).info(
                session_id=string(record.get("id")),
                folder=string(record.get("cwd")),
                agent=AGENT,
            )
        else:
            entries.append((number, record))
    yield from unread
    for number, record in active_branch(entries, "id", "parentId"):
        line, kind = Line(number, instant(record.get("timestamp"))), string(record.get("type"))
        if kind == "model_change":
            yield line.info(model=string(record.get("modelId")))
        elif kind in {"compaction", "branch_summary"}:
            yield from line.summary(string(record.get("summary")))
        elif kind == "message":
            message = mapping(record.get("message"))
            yield from _message(line, string(record.get("id")), message)


def _message(line: Line, identifier: str, message: Record) -> Iterator[Event]:
    role, content = string(message.get("role")), message.get("content")
    if role in {"user", "assistant"}:
        speaker = Speaker.USER if role == "user" else Speaker.AGENT
        yield from line.message(
            speaker, text_of([block for block in blocks(content) if block.get("type") == "text"])
        )
        for block in blocks(content):
            if block.get("type") == "toolCall":
                yield tool_call(line, block, "arguments")
    elif role == "toolResult":
        yield line.result(
            call_id=string(message.get("toolCallId")),
            text=text_of(content),
            failed=message.get("isError") is True,
        )
    elif role == "bashExecution":
        # A command that the person ran.
        command = {"command": string(message.get("command"))}
        yield line.call(call_id=identifier, tool="bash", arguments=command)
        yield line.result(
            call_id=identifier,
            text=string(message.get("output")),
            failed=message.get("exitCode") not in (0, None),
        )
    elif role not in _PROGRAM:
        yield line.unknown_role(role)


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield pi's sessions; the first line of each names the folder that it ran in."""
    root = home.folder(_VARIABLE, _FOLDER) / "sessions"
    return with_folder(files_in(root, ("*/*.jsonl",), AGENT), "cwd")


def parent(path: Path) -> str:
    """Return the session that a file's was forked from, empty where it was not."""
    return Path(first_string(path, "parentSession")).stem.rpartition("_")[2]


def file_of(path: Path, session_id: str) -> Path | None:
    """Return the file of another session, in the folder of any project."""
    return next(path.parent.parent.glob(f"*/*_{session_id}.jsonl"), None)


def matches_format(head: Head) -> bool:
    """Return whether the first line is of the type `session`, with a version."""
    return any(
        record.get("type") == "session" and "version" in record for record in head.records[:1]
    )


CLIENT = Client(
    name=AGENT,
    title="pi",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    parent=parent,
    file_of=file_of,
    hooks=Hooks(
        events=(
            Hook("session_start", "session-start", 10),
            Hook("before_agent_start", "user-prompt", 5),
            Hook("session_before_compact", "pre-compact", 20),
            Hook("agent_end", "stop", 20),
            Hook("session_shutdown", "session-end", 20),
        ),
        style="plugin",
        file=FilePlace(
            "extensions/memtui.ts",
            in_project=".pi/extensions/memtui.ts",
            variable=_VARIABLE,
            folder=_FOLDER,
        ),
    ),
    resume=("pi", "--session", "{id}"),
    asked_by=("pi", "-p", "--no-tools", "--no-session"),
    servers=ServerList(
        FilePlace("mcp.json", in_project=".pi/mcp.json", variable=_VARIABLE, folder=_FOLDER),
        fields={"exposure": "direct"},  # else the model has to look for the tools first
    ),
    command=CommandFile(
        FilePlace(
            "prompts/remember.md",
            in_project=".pi/prompts/remember.md",
            variable=_VARIABLE,
            folder=_FOLDER,
        )
    ),
    context=(
        ContextFile("instruction", ".pi/agent/AGENTS.md|.pi/agent/CLAUDE.md", of_user=True),
        ContextFile("instruction", "AGENTS.override.md|AGENTS.md|CLAUDE.md", upward=Upward.DISK),
        *skills_in(".pi/agent/skills", ".agents/skills", of_user=True),
    ),
)
