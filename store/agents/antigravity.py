"""Antigravity's sessions: `brain/<id>/.system_generated/logs/transcript_full.jsonl`, of its command
line in `~/.gemini/antigravity-cli`, of its app in `~/.gemini/antigravity`.

A line is a step, and the step after a call is its result: none has an id. `history.jsonl` says
where a session ran, if it was typed in. `transcript.jsonl` has the same steps, each argument as
JSON in a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from store.agents.client import Client, ContextFile, FilePlace, Head, Home, Hooks, SessionFile
from store.agents.compressed import open_session_file
from store.agents.files import files_in
from store.agents.hooks import COMMAND, Answer, Hook
from store.agents.records import Record, all_records, instant, load
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import is_number, items, mapping, string

AGENT = "antigravity"
_LOGS = ".system_generated/logs"
_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.S)
_MODEL = re.compile(r"setting `Model Selection` from .*? to (.+?)\. ")
_HEADER = re.compile(r"\A(?:(?:Created|Completed) At: .*\n)*\s*")
_ENDED = re.compile(
    r"\AThe command (?:completed successfully\.|failed with exit code: (-?\d+))\s*"
    r"(?:(?:Output|Stdout):[ \t]*\n)?"
)
"""How the result of a command begins; what it printed follows, indented."""
_PROGRAM = frozenset({"CONVERSATION_HISTORY", "SYSTEM_MESSAGE", "CHECKPOINT"})
_ARGUMENTS = {
    "CommandLine": "command",
    "TargetFile": "file_path",
    "AbsolutePath": "file_path",
    "CodeContent": "content",
    "TargetContent": "old_string",
    "ReplacementContent": "new_string",
    "ReplacementChunks": "edits",
    "SearchPath": "path",
    "Query": "pattern",
}
"""Its names of arguments, and the usual ones."""


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of a session's steps, in their order: results may be written earlier."""
    records, unread = all_records(lines)
    yield from unread
    yield Line(1).info(agent=AGENT)
    begun = sha256(repr(records[:1]).encode()).hexdigest()[:8]
    waiting: list[str] = []
    for number, record in sorted(records, key=_step):
        yield from _events(Line(number, instant(record.get("created_at"))), record, waiting, begun)


def _step(entry: tuple[int, Record]) -> float:
    at = entry[1].get("step_index")
    return at if is_number(at) else entry[0]


def _events(line: Line, record: Record, waiting: list[str], begun: str) -> Iterator[Event]:
    kind, text = string(record.get("type")), string(record.get("content"))
    if kind in _PROGRAM:
        return
    if kind == "USER_INPUT":
        if model := _MODEL.search(text):
            yield line.info(model=model[1])
        asked = _REQUEST.search(text)
        yield from line.message(Speaker.USER, asked[1] if asked else text)
    elif kind == "PLANNER_RESPONSE":
        yield from line.message(Speaker.AGENT, text)
        waiting.clear()
        for number, call in enumerate(map(mapping, items(record.get("tool_calls")))):
            waiting.append(f"{begun}.{line.number}.{number}")
            yield line.call(
                call_id=waiting[-1],
                tool=string(call.get("name")),
                arguments=_usual(mapping(call.get("args"))),
            )
    elif waiting:
        plain = _HEADER.sub("", text, count=1)
        ended = _ENDED.match(plain)
        printed = plain[ended.end() :] if ended else plain
        yield line.result(
            call_id=waiting.pop(0),
            text="\n".join(row.lstrip("\t") for row in printed.splitlines()).strip(),
            failed=record.get("status") == "ERROR" or bool(ended and ended[1] not in (None, "0")),
        )


def _usual(arguments: Record) -> dict[str, object]:
    return {_ARGUMENTS.get(key, key): _value(value) for key, value in arguments.items()}


def _value(value: object) -> object:
    """Return an argument's value: also from JSON in a string, and of each part of an edit."""
    if isinstance(value, str) and value[:1] in {'"', "["}:
        try:
            value = load(value)
        except ValueError:
            return value
    if isinstance(value, list):
        return [_usual(part) if isinstance(part, dict) else part for part in value]
    return value


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the transcripts of the command line and of the app, the full one where it is kept."""
    for root in (home.path / ".gemini" / name for name in ("antigravity-cli", "antigravity")):
        where = _workspaces(root / "history.jsonl")
        patterns = [f"*/{_LOGS}/{name}.jsonl" for name in ("transcript_full", "transcript")]
        found: set[str] = set()
        for file in files_in(root / "brain", patterns, AGENT):
            name = file.path.parents[2].name
            if name not in found:
                found.add(name)
                yield file._replace(session_id=name, folder=where.get(name, ""))


def _workspaces(path: Path) -> dict[str, str]:
    """Return the folder of each session by its id; empty where the history can't be read."""
    try:
        with open_session_file(path) as lines:
            records, _ = all_records(lines)
    except OSError:
        return {}
    return {
        string(record.get("conversationId")): string(record.get("workspace"))
        for _, record in records
    }


def matches_format(head: Head) -> bool:
    return any("step_index" in record and "source" in record for record in head.records[:3])


CLIENT = Client(
    name=AGENT,
    title="Antigravity",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    hooks=Hooks(
        events=(Hook("PreInvocation", "user-prompt", 5), Hook("Stop", "stop", 20)),
        style="json-lists",
        file=FilePlace("config/hooks.json", folder=".gemini", in_project=".agents/hooks.json"),
        answer=Answer.STEPS,
        starts_with_prompt=True,
        under=COMMAND,
    ),
    resume=("agy", "--conversation", "{id}"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".agents/rules/*.md"),
        ContextFile("instruction", ".gemini/GEMINI.md", of_user=True),
    ),
)
