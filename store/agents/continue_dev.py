"""Continue's sessions: `~/.continue/sessions/<id>.json`, of its extension and its command line.

An object with `history`: messages in OpenAI's form, the agent's with the states of its calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from store.agents.client import Client, ContextFile, FilePlace, Head, Home, ServerList, SessionFile
from store.agents.files import files_in, first_string
from store.agents.records import Record, load, text_of, whole_json
from store.agents.transcript import Event, Line, Speaker, Unread
from store.platform.json_fields import items, mapping, string

AGENT = "continue-dev"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_PROGRAM = frozenset({"system", "thinking", "tool"})
_KEYS = (b'"history"', b'"workspaceDirectory"')


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of one session. An event's line is the number of its message."""
    content = whole_json(lines)
    if isinstance(content, Unread):
        yield content
        return
    whole = mapping(content)
    yield Line(1).info(
        session_id=string(whole.get("sessionId")),
        folder=_folder(string(whole.get("workspaceDirectory"))),
        agent=AGENT,
        model=string(whole.get("chatModelTitle")),
    )
    for number, entry in enumerate(map(mapping, items(whole.get("history"))), 1):
        yield from _events(Line(number), entry)


def _events(line: Line, entry: Record) -> Iterator[Event]:
    message = mapping(entry.get("message"))
    role = string(message.get("role"))
    if role in _SPEAKERS:
        yield from line.message(_SPEAKERS[role], text_of(message.get("content")))
    elif role not in _PROGRAM:
        yield line.unknown_role(role)
    if role == "tool":
        yield line.result(
            call_id=string(message.get("toolCallId")), text=text_of(message.get("content"))
        )
    states = [mapping(state) for state in items(entry.get("toolCallStates"))]
    known = {string(state.get("toolCallId")): state for state in states}
    for call in map(mapping, items(message.get("toolCalls"))):
        call_id, function = string(call.get("id")), mapping(call.get("function"))
        state = known.get(call_id, {})
        yield line.call(
            call_id=call_id,
            tool=string(function.get("name")),
            arguments=mapping(state.get("parsedArgs")) or _parsed(function.get("arguments")),
        )
        status = string(state.get("status"))
        if status in {"done", "errored", "canceled"}:
            output = [string(mapping(part).get("content")) for part in items(state.get("output"))]
            yield line.result(
                call_id=call_id, text="\n\n".join(filter(None, output)), failed=status != "done"
            )
    yield from line.summary(string(entry.get("conversationSummary")).strip())


def _parsed(arguments: object) -> Record:
    """Return the arguments that a model wrote as JSON; none where it is damaged."""
    try:
        return mapping(load(string(arguments)))
    except ValueError:
        return {}


def _folder(workspace: str) -> str:
    """Return a workspace's path; the extension writes it as an address."""
    if not workspace.startswith("file://"):
        return workspace
    return unquote(workspace.removeprefix("file://"))


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the sessions; `sessions.json` next to them is their list."""
    root = home.folder("CONTINUE_GLOBAL_DIR", ".continue") / "sessions"
    for file in files_in(root, ("*.json",), AGENT):
        if file.path.name != "sessions.json":
            folder = _folder(first_string(file.path, "workspaceDirectory"))
            yield file._replace(session_id=file.path.stem, folder=folder)


def matches_format(head: Head) -> bool:
    return head.start.startswith(b"{") and all(key in head.start for key in _KEYS)


CLIENT = Client(
    name=AGENT,
    title="Continue",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    servers=ServerList(
        FilePlace("mcpServers/memtui.json", variable="CONTINUE_GLOBAL_DIR", folder=".continue")
    ),
    has_comments=True,
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".continue/rules/*.md"),
    ),
)
