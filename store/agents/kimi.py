"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

Messages and calls are in `context.…` records; the events next to them repeat it. Sub-agents have a
`wire.jsonl` each, next to `main`. `session_index.jsonl` names the folder that each session ran in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from store.agents.client import (
    Client,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    ServerList,
    SessionFile,
    Upward,
    agents_in,
    skills_in,
)
from store.agents.compressed import open_session_file
from store.agents.files import files_in, object_in
from store.agents.hooks import Hook
from store.agents.records import Record, all_records, instant, json_lines, text_of
from store.agents.transcript import Event, Line, SessionInfo, Speaker, Unread
from store.platform.json_fields import items, mapping, string

AGENT = "kimi"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of an agent's records, without the turns that were taken back."""
    events: list[Event] = []
    turns: list[int] = []
    agent = ""
    for entry in json_lines(lines):
        if isinstance(entry, Unread):
            events.append(entry)
            continue
        number, record = entry
        of_agent, kind = string(record.get("agentId")), string(record.get("type"))
        agent = agent or of_agent
        if of_agent not in {agent, ""}:
            continue
        if kind == "context.undo":
            _take_back(events, turns, record.get("count"))
        elif kind in {"context.clear", "context.apply_compaction"}:
            turns.clear()  # Kimi Code takes back nothing from before it
        elif _is_turn_start(record):
            turns.append(len(events))
        events.extend(_events(number, record))
    yield from events


def _is_turn_start(record: Record) -> bool:
    message = mapping(record.get("message"))
    is_typed = record.get("type") == "context.append_message" and bool(_typed(message))
    return is_typed and not mapping(message.get("origin")).get("inTurn")


def _take_back(events: list[Event], turns: list[int], count: object) -> None:
    """Leave out the last turns, which begin at these events; where the session ran stays."""
    if isinstance(count, int) and 0 < count <= len(turns):
        start = turns[-count]
        events[start:] = [event for event in events[start:] if isinstance(event, SessionInfo)]
        del turns[-count:]


def _events(number: int, record: Record) -> Iterator[Event]:
    line, kind = Line(number, instant(record.get("time"))), record.get("type")
    if kind == "profile.bind":
        folder = string(mapping(record.get("environmentDisclosure")).get("cwd"))
        yield line.info(folder=folder, agent=AGENT, model=string(record.get("modelAlias")))
    elif kind == "context.append_message":
        message = mapping(record.get("message"))
        if mapping(message.get("origin")).get("kind") == "compaction_summary":
            yield from line.summary(text_of(message.get("content")).strip())
        else:
            yield from line.message(Speaker.USER, _typed(message))
    elif kind == "context.apply_compaction":
        yield from line.summary(string(record.get("summary")))
    elif kind == "context.append_loop_event":
        yield from _step(line, mapping(record.get("event")))


def _typed(message: Record) -> str:
    """Return what the person typed: a command with the words after it, without the skill's text;
    empty for what no person wrote.
    """
    origin, content = mapping(message.get("origin")), message.get("content")
    if message.get("role") != "user":
        return ""
    if origin.get("kind") == "user":
        skills = items(origin.get("skillActivations"))
        return text_of(items(content)[len(skills) :] if skills else content)
    if origin.get("trigger") != "user-slash":
        return ""
    command = f"{string(origin.get('pluginId'))}:{string(origin.get('commandName'))}"
    words = string(origin.get("skillArgs")) or string(origin.get("commandArgs"))
    return f"/{string(origin.get('skillName')) or command} {words}".strip()


def _step(line: Line, event: Record) -> Iterator[Event]:
    kind, call_id = event.get("type"), string(event.get("toolCallId"))
    if kind == "content.part":
        part = mapping(event.get("part"))
        if part.get("type") == "text":
            yield from line.message(Speaker.AGENT, string(part.get("text")))
    elif kind == "tool.call":
        yield line.call(
            call_id=call_id,
            tool=string(event.get("name")),
            arguments=mapping(event.get("args")),
        )
    elif kind == "tool.result":
        result = mapping(event.get("result"))
        yield line.result(
            call_id=call_id,
            text=text_of(result.get("output")),
            failed=result.get("isError") is True,
        )


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the main agent's records of each session; the index names the folder that it ran in."""
    root = home.folder("KIMI_CODE_HOME", ".kimi-code")
    where = _index(root / "session_index.jsonl")
    for file in files_in(root / "sessions", ("*/*/agents/main/wire.jsonl",), AGENT):
        name = file.path.parents[2].name
        yield file._replace(session_id=name, folder=where.get(name, ""))


def sub_agents(path: Path) -> Iterator[Path]:
    """Yield the records of a session's other agents, beside those of the main one."""
    files = sorted(path.parents[1].glob("*/wire.jsonl"))
    return (file for file in files if file != path)


def parent(path: Path) -> str:
    """Return the session that a file's was forked from, empty where it was not."""
    return string(object_in(path.parents[2] / "state.json").get("forkedFrom"))


def file_of(path: Path, session_id: str) -> Path | None:
    """Return the file of another session, in the folder of any project."""
    return next(path.parents[4].glob(f"*/{session_id}/agents/main/wire.jsonl"), None)


def _index(path: Path) -> dict[str, str]:
    """Return the folder of each session by its id; empty where the index can't be read."""
    try:
        with open_session_file(path) as lines:
            records, _ = all_records(lines)
    except OSError:
        return {}
    return {string(record.get("sessionId")): string(record.get("workDir")) for _, record in records}


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
    parent=parent,
    file_of=file_of,
    sub_agents=sub_agents,
    hooks=Hooks(
        events=(
            Hook("UserPromptSubmit", "user-prompt", 5),
            Hook("PreCompact", "pre-compact", 20),
            Hook("Stop", "stop", 20),
            Hook("SessionEnd", "session-end", 20),
        ),
        style="toml-tables",
        file=FilePlace(
            "config.toml", in_project=None, variable="KIMI_CODE_HOME", folder=".kimi-code"
        ),
        starts_with_prompt=True,
    ),
    resume=("kimi", "--session", "{id}"),
    servers=ServerList(FilePlace("mcp.json", variable="KIMI_CODE_HOME", folder=".kimi-code")),
    context=(
        ContextFile("instruction", ".kimi-code/AGENTS.md", of_user=True, variable="KIMI_CODE_HOME"),
        ContextFile("instruction", ".agents/AGENTS.md", of_user=True),
        ContextFile("instruction", "AGENTS.md", upward=Upward.PROJECT),
        *skills_in(".kimi-code/skills", ".agents/skills"),
        *skills_in(".kimi-code/skills", of_user=True, variable="KIMI_CODE_HOME"),
        *skills_in(".agents/skills", of_user=True),
        *agents_in(".kimi-code/agents", ".agents/agents"),
        *agents_in(".kimi-code/agents", of_user=True, variable="KIMI_CODE_HOME"),
        *agents_in(".agents/agents", of_user=True),
    ),
)
