"""Cursor's chats in its editor: `User/globalStorage/state.vscdb`, a database of keys and values.

`composerData:<chat>` has a chat and the order of its bubbles, `bubbleId:<chat>:<bubble>` one of
them. The database is read only, never written; a chat in it is read into lines of these objects.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection

import orjson

from store.agents.client import Home, SessionFile
from store.agents.cline_tasks import editors_folder
from store.agents.databases import opened, session_in, session_lines
from store.agents.records import Record, instant, load, unread_line
from store.agents.transcript import Event, Line, Speaker
from store.platform.json_fields import items, mapping, string

_DATABASE = "state.vscdb"
_SPEAKERS = {1: Speaker.USER, 2: Speaker.AGENT}


def chat_events(number: int, record: Record) -> Iterator[Event]:
    """Yield the events of a line: the chat, or a bubble."""
    line = Line(number, instant(record.get("createdAt")))
    if "composerId" in record:
        model = string(mapping(record.get("modelConfig")).get("modelName"))
        chat = string(record.get("composerId"))
        yield line.info(session_id=chat, folder=_folder(record), model=model)
        return
    if model := string(mapping(record.get("modelInfo")).get("modelName")):
        yield line.info(model=model)
    speaker = _SPEAKERS.get(record.get("type"))  # type: ignore[arg-type]
    if speaker is not None:
        yield from line.message(speaker, string(record.get("text")))
    tool = mapping(record.get("toolFormerData"))
    if tool.get("name"):
        yield from _tool(line, tool)


def _tool(line: Line, tool: Record) -> Iterator[Event]:
    call_id, result = string(tool.get("toolCallId")), _object(tool.get("result"))
    arguments = {**_object(tool.get("params")), **_object(tool.get("rawArgs"))}
    name = string(tool.get("name")).removesuffix("_v2")
    yield line.call(call_id=call_id, tool=name, arguments=arguments)
    if (status := string(tool.get("status"))) in {"completed", "error", "cancelled"}:
        text = string(result.get("output")) or string(result.get("error"))
        failed = status != "completed" or result.get("exitCode") not in (0, None)
        yield line.result(call_id=call_id, text=text, failed=failed)


def _object(value: object) -> Record:
    """Return an object, also from JSON in a string; an empty one for what is none."""
    try:
        return mapping(load(value) if isinstance(value, str) else value)
    except ValueError:
        return {}


def _folder(chat: Record) -> str:
    address = mapping(mapping(chat.get("workspaceIdentifier")).get("uri"))
    return string(address.get("fsPath")) or string(address.get("path"))


def chat_files(home: Home, agent: str) -> tuple[SessionFile, ...]:
    """Return the chats in the database that have bubbles; none where it can't be read."""
    path = editors_folder(home) / "Cursor" / "User" / "globalStorage" / _DATABASE
    try:
        stamps = tuple(
            (file.stat().st_mtime_ns, file.stat().st_size)
            for file in (path, path.with_name(f"{_DATABASE}-wal"))
            if file == path or file.exists()
        )
        return _chats(path, agent, stamps)
    except (OSError, sqlite3.Error):
        return ()


@lru_cache(maxsize=4)
def _chats(path: Path, agent: str, _stamps: tuple[object, ...]) -> tuple[SessionFile, ...]:
    """Return the chats; those of a database that has not changed are not read again."""
    query = (
        "SELECT key, value FROM cursorDiskKV"
        " WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
    )
    found = []
    with opened(path) as (database, _):
        for key, value in database.execute(query):
            chat = _object(_text(value))
            modified = instant(chat.get("lastUpdatedAt")) or instant(chat.get("createdAt"))
            bubbles = items(chat.get("fullConversationHeadersOnly"))
            if modified is not None and bubbles:
                name, folder = key.partition(":")[2], _folder(chat)
                found.append(session_in(path, agent, name, folder, modified, len(value)))
    return tuple(found)


def chat_lines(place: Path) -> AbstractContextManager[Iterable[bytes]] | None:
    """Return a chat of the database, `FILE#ID`, as lines. Raises OSError."""
    return session_lines(place, _DATABASE.__eq__, _lines)


def _lines(database: Connection, chat: str, note: str) -> Iterator[bytes]:
    query = "SELECT value FROM cursorDiskKV WHERE key = ?"
    row = database.execute(query, (f"composerData:{chat}",)).fetchone()
    if row is None or row[0] is None:
        raise FileNotFoundError(2, f"no session {chat}")
    whole = _object(_text(row[0]))
    kept = {key: whole.get(key) for key in ("createdAt", "modelConfig", "workspaceIdentifier")}
    yield orjson.dumps({"composerId": chat, **kept})
    for header in map(mapping, items(whole.get("fullConversationHeadersOnly"))):
        key = f"bubbleId:{chat}:{string(header.get('bubbleId'))}"
        bubble = database.execute(query, (key,)).fetchone()
        if bubble is not None and bubble[0] is not None:
            yield _text(bubble[0]).replace("\n", " ").encode()
    yield from unread_line(note)


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
