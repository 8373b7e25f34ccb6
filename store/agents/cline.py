"""Cline's sessions: `~/.cline/data/sessions/<id>/<id>.messages.json`, its version 1.

`<id>.json` in the same folder has the folder that it ran in. Messages are blocks of text,
`tool_use` and `tool_result`; a result is text, or a list of what each query gave. The tasks of
Cline in an editor are read by `cline_tasks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from store.agents.client import Client, ContextFile, Head, Home, ServerList, SessionFile
from store.agents.cline_tasks import is_task, read_task, task_files
from store.agents.files import files_in, object_in
from store.agents.records import Record, blocks, instant, load, tool_call, whole_json
from store.agents.transcript import Event, Line, Speaker, Unread
from store.platform.json_fields import items, mapping, string

AGENT = "cline"
_ENDING = ".messages.json"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_INPUT = re.compile(r"</?user_input\b[^>]*>")
_EXITED = re.compile(r"\A\[Command exited with code \d+\]\s*(?:\[std(?:out|err)\]\s*)?")
_KEYS = (b'"sessionId"', b'"messages"', b'"agent"')


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of one session. An event's line is the number of its message."""
    content = whole_json(lines)
    if isinstance(content, Unread):
        yield content
        return
    if isinstance(content, list):
        yield from read_task(content, AGENT)
        return
    whole = mapping(content)
    yield Line(1).info(session_id=string(whole.get("sessionId")), agent=AGENT)
    for number, message in enumerate(map(mapping, items(whole.get("messages"))), 1):
        line = Line(number, instant(message.get("ts")))
        speaker = _SPEAKERS.get(string(message.get("role")))
        if speaker is None:
            yield line.unknown_role(string(message.get("role")))
            continue
        if model := string(mapping(message.get("modelInfo")).get("id")):
            yield line.info(model=model)
        yield from _message(line, speaker, message)


def _message(line: Line, speaker: Speaker, message: Record) -> Iterator[Event]:
    for block in blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            yield from line.message(speaker, _INPUT.sub("", string(block.get("text"))))
        elif kind == "tool_use":
            yield tool_call(line, block)
        elif kind == "tool_result":
            answers = list(_answers(block.get("content")))
            yield line.result(
                call_id=string(block.get("tool_use_id")),
                text="\n".join(_EXITED.sub("", text) for text, _ in answers),
                failed=block.get("is_error") is True or any(failed for _, failed in answers),
            )


def _answers(content: object) -> Iterator[tuple[str, bool]]:
    if isinstance(content, str):
        try:
            answer: Any = load(content)
        except ValueError:
            answer = {"result": content}
        content = [answer if isinstance(answer, dict) else {"result": content}]
    for result in map(mapping, items(content)):
        answer = result.get("result") or result.get("text") or result.get("error")
        yield string(answer), result.get("success") is False


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the messages of each session; those of agents that it spawned are read with them."""
    root = home.folder("CLINE_DATA_DIR", ".cline/data") / "sessions"
    root = home.folder("CLINE_SESSION_DATA_DIR", str(root))
    for file in files_in(root, (f"*/*{_ENDING}",), AGENT):
        name = file.path.parent.name
        if file.path.name != name + _ENDING:
            continue
        folder = string(object_in(file.path.with_name(f"{name}.json")).get("cwd"))
        yield file._replace(session_id=name, folder=folder)
    yield from task_files(home, "saoudrizwan.claude-dev", AGENT)


def sub_agents(path: Path) -> Iterable[Path]:
    """Return the messages of the agents that a session spawned, in its folder."""
    return sorted(file for file in path.parent.glob(f"*{_ENDING}") if file != path)


def servers_file(home: Home, project: Path | None) -> Path:
    """Return the servers of the user, where a project has none of its own."""
    data = home.folder("CLINE_DATA_DIR", ".cline/data")
    named = home.environ.get("CLINE_MCP_SETTINGS_PATH", "")
    return Path(named) if named else data / "settings" / "cline_mcp_settings.json"


def matches_format(head: Head) -> bool:
    """Return whether it is an object with a session's id, its agent and messages, or a task."""
    if is_task(head):
        return True
    return head.start.startswith(b"{") and all(key in head.start for key in _KEYS)


CLIENT = Client(
    name=AGENT,
    title="Cline",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    sub_agents=sub_agents,
    resume=("cline", "--id", "{id}"),
    servers=ServerList(servers_file, form="typed"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".clinerules"),
        ContextFile("instruction", ".clinerules/*.md"),
    ),
)
