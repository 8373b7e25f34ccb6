"""Goose's sessions: `~/.local/share/goose/sessions/sessions.db`, before `<id>.jsonl` next to it.

The database is read only, never written; a session in it is read into the form of the older files:
a line about the session, then one a message.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import orjson

from store.agents.client import Client, ContextFile, Head, Home, SessionFile
from store.agents.databases import rows_in, session_in, session_lines
from store.agents.files import files_in, with_folder
from store.agents.records import Record, instant, load, read_records, text_of, unread_line
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import is_number, items, mapping, string

AGENT = "goose"
_DATABASE = "sessions.db"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}
_ARGUMENTS = {"before": "old_string", "after": "new_string", "file_text": "content"}
"""Its names of arguments, and the usual ones."""


def read(lines: Iterable[bytes]) -> Iterator[Event]:
    yield Line(1).info(agent=AGENT)
    yield from read_records(lines, _events)


def _events(number: int, record: Record) -> Iterator[Event]:
    if "working_dir" in record:
        yield Line(number).info(
            session_id=string(record.get("id")),
            folder=string(record.get("working_dir")),
            model=string(mapping(record.get("model_config")).get("model_name")),
        )
        return
    if mapping(record.get("metadata")).get("userVisible") is False:
        return
    line, role = Line(number, _moment(record.get("created"))), string(record.get("role"))
    if role not in _SPEAKERS:
        yield line.unknown_role(role)
        return
    for part in map(mapping, items(record.get("content"))):
        kind = part.get("type")
        if kind == "text":
            yield from line.message(_SPEAKERS[role], string(part.get("text")))
        elif kind == "toolRequest":
            yield _call(line, part)
        elif kind == "toolResponse":
            answer = mapping(part.get("toolResult"))
            value = answer.get("value")
            content = mapping(value).get("content", value)
            yield line.result(
                call_id=string(part.get("id")),
                text=text_of(content) or string(answer.get("error")),
                failed=answer.get("status") == "error" or mapping(value).get("isError") is True,
            )


def _call(line: Line, part: Record) -> Event:
    call = mapping(mapping(part.get("toolCall")).get("value"))
    tool, arguments = string(call.get("name")), mapping(call.get("arguments"))
    if tool.endswith("text_editor"):
        tool = "view" if arguments.get("command") == "view" else "edit"
    return line.call(
        call_id=string(part.get("id")),
        tool=tool,
        arguments={_ARGUMENTS.get(key, key): value for key, value in arguments.items()},
    )


def _moment(seconds: object) -> datetime | None:
    return instant(seconds * 1_000) if is_number(seconds) else None


def _folder(home: Home) -> Path:
    if root := home.environ.get("GOOSE_PATH_ROOT", ""):
        return Path(root) / "data" / "sessions"
    if sys.platform == "darwin":
        return home.path / "Library/Application Support/Block/goose/sessions"
    return home.folder("XDG_DATA_HOME", ".local/share") / "goose" / "sessions"


def session_files(home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    """Yield the sessions in the database, those of sub-agents left out, and the older files."""
    folder = _folder(home)
    for file in with_folder(files_in(folder, ("*.jsonl",), AGENT), "working_dir"):
        yield file._replace(session_id=file.path.stem)
    path = folder / _DATABASE
    for identifier, directory, updated, size in rows_in(path, _sessions):
        if (modified := _moment(updated)) is not None:
            yield session_in(path, AGENT, identifier, directory, modified, size)


def _sessions(database: Connection) -> list[Any]:
    columns = {row[1] for row in database.execute("PRAGMA table_info(sessions)")}
    own = "WHERE s.session_type != 'sub_agent'" if "session_type" in columns else ""
    return database.execute(
        "SELECT s.id, s.working_dir, max(m.created_timestamp), sum(length(m.content_json))"
        f" FROM sessions s JOIN messages m ON m.session_id = s.id {own} GROUP BY s.id"
    ).fetchall()


def lines(place: Path) -> AbstractContextManager[Iterable[bytes]] | None:
    """Return a session of the database, `FILE#ID`, as lines. Raises OSError."""
    return session_lines(place, _DATABASE.__eq__, _lines)


def _lines(database: Connection, session_id: str, note: str) -> Iterator[bytes]:
    query = "SELECT working_dir FROM sessions WHERE id = ?"
    row = database.execute(query, (session_id,)).fetchone()
    if row is None:
        raise FileNotFoundError(2, f"no session {session_id}")
    yield orjson.dumps({"working_dir": row[0], "id": session_id})
    query = (
        "SELECT role, created_timestamp, content_json FROM messages WHERE session_id = ?"
        " ORDER BY created_timestamp, id"
    )
    for role, created, content in database.execute(query, (session_id,)):
        try:
            message = {"role": role, "created": created, "content": load(content)}
            yield orjson.dumps(message)
        except ValueError:
            yield str(content).encode()  # named as a line that is no JSON
    yield from unread_line(note)


def matches_format(head: Head) -> bool:
    return any("working_dir" in record for record in head.records[:1])


CLIENT = Client(
    name=AGENT,
    title="Goose",
    session_files=session_files,
    matches_format=matches_format,
    read=read,
    lines=lines,
    resume=("goose", "session", "--resume", "--session-id", "{id}"),
    context=(
        ContextFile("instruction", "AGENTS.md"),
        ContextFile("instruction", ".goosehints"),
    ),
)
