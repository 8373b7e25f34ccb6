"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`.

What was said and done stands in `context.…` records; the events beside them repeat it.
`session_index.jsonl` says where each session ran.
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
)
from store.agents.compressed import open_session_file
from store.agents.files import files_in
from store.agents.hooks import Hook
from store.agents.records import Record, all_records, instant, read_records, text_of
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import mapping, string

AGENT = "kimi"
_MAIN = "main"


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    return read_records(lines, _events)


def _events(number: int, record: Record) -> Iterator[Event]:
    if string(record.get("agentId")) not in {_MAIN, ""}:
        return
    line, kind = Line(number, instant(record.get("time"))), record.get("type")
    if kind == "profile.bind":
        folder = string(mapping(record.get("environmentDisclosure")).get("cwd"))
        yield line.info(folder=folder, agent=AGENT, model=string(record.get("modelAlias")))
    elif kind == "context.append_message":
        message = mapping(record.get("message"))
        origin = mapping(message.get("origin")).get("kind")
        text = text_of(message.get("content")).strip()
        if origin == "compaction_summary":
            yield from line.summary(text)
        elif origin == "user" and message.get("role") == "user":
            yield from line.message(Speaker.USER, text)
    elif kind == "context.apply_compaction":
        yield from line.summary(string(record.get("summary")))
    elif kind == "context.append_loop_event":
        yield from _step(line, mapping(record.get("event")))


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
    context=(ContextFile("instruction", "AGENTS.md"),),
)
