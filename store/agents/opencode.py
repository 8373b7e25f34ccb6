"""OpenCode's sessions: `~/.local/share/opencode/opencode.db`, and what `opencode export` writes.

The database is read only, never written; a session in it is read into the form of the export:
`{info, messages: [{info, parts}]}`. Kilo, made from OpenCode, keeps the same tables and takes the
same plugin: what is here by the client's name is for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import orjson

from store.agents.client import (
    Client,
    CommandFile,
    ContextFile,
    FilePlace,
    Head,
    Home,
    Hooks,
    Reader,
    ServerList,
    SessionFile,
    SessionFinder,
    Upward,
    agents_in,
    skills_in,
)
from store.agents.databases import rows_in, session_in, session_lines
from store.agents.hooks import Hook
from store.agents.records import UNREAD, Record, instant, load, whole_json
from store.agents.transcript import Event, Line, Speaker, Unread
from store.platform.home import expanded
from store.platform.json_fields import items, mapping, string

AGENT = "opencode"
_SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.AGENT}


def reader(client: str) -> Reader:
    """Return the reader of a client's exported sessions. An event's line is the number of its
    message.
    """
    return partial(_read, client)


def _read(client: str, lines: Iterable[bytes]) -> Iterator[Event]:
    content = whole_json(lines)
    if isinstance(content, Unread):
        yield content
        return
    whole = mapping(content)
    if reason := string(whole.get(UNREAD)):
        yield Unread(line=1, reason=reason)
    info = mapping(whole.get("info"))
    yield Line(1, _time(info, "created")).info(
        session_id=string(info.get("id")), folder=string(info.get("directory")), agent=client
    )
    reverted = string(mapping(info.get("revert")).get("messageID"))
    helpers = {string(item.get("id")): item for item in map(mapping, items(whole.get("helpers")))}
    number = 0
    for number, message in enumerate(map(mapping, items(whole.get("messages"))), 1):
        if reverted and string(mapping(message.get("info")).get("id")) >= reverted:
            return
        parts = items(message.get("parts"))
        yield from _events(number, mapping(message.get("info")), parts)
        for started in (string(_metadata(part).get("sessionId")) for part in parts):
            yield from _by_helper(Line(number), started, helpers)
    for left in list(helpers):
        yield from _by_helper(Line(number), left, helpers)


def _by_helper(line: Line, session_id: str, helpers: dict[str, Record]) -> Iterator[Event]:
    """Events of a sub-agent, and of those that it started in turn; its words are not read."""
    for part in map(mapping, items(helpers.pop(session_id, {}).get("parts"))):
        if part.get("type") == "tool":
            yield from _tool(line, part, aside=True)
            yield from _by_helper(line, string(_metadata(part).get("sessionId")), helpers)


def _metadata(part: Record) -> Record:
    return mapping(mapping(mapping(part).get("state")).get("metadata"))


def _events(number: int, info: Record, parts: list[Record]) -> Iterator[Event]:
    line, role = Line(number, _time(info, "created")), string(info.get("role"))
    for row in (info, *map(mapping, parts)):
        if reason := string(row.get(UNREAD)):
            yield Unread(line=number, reason=reason)
    if role not in _SPEAKERS:
        yield line.unknown_role(role)
        return
    if model := string(info.get("modelID")):
        yield line.info(model=model)
    for part in map(mapping, parts):
        kind, text = part.get("type"), string(part.get("text")).strip()
        if kind == "text" and not (part.get("synthetic") or part.get("ignored")):
            if role == "assistant" and info.get("summary") is True:
                yield from line.summary(text)
            else:
                yield from line.message(_SPEAKERS[role], text)
        elif kind == "tool":
            yield from _tool(line, part)


def _tool(line: Line, part: Record, *, aside: bool = False) -> Iterator[Event]:
    state, call_id = mapping(part.get("state")), string(part.get("callID"))
    line = line._replace(at=_time(state, "start"))
    yield line.call(
        call_id=call_id,
        tool=string(part.get("tool")),
        arguments=mapping(state.get("input")),
        aside=aside,
    )
    status, code = string(state.get("status")), _metadata(part).get("exit")
    if status in {"completed", "error"}:
        yield line.result(
            call_id=call_id,
            text=string(state.get("output")) or string(state.get("error")),
            failed=status == "error" or code not in (0, None),
        )


def _time(record: Record, key: str) -> datetime | None:
    return instant(mapping(record.get("time")).get(key))


def session_finder(client: str) -> SessionFinder:
    """Return the finder of the sessions in a client's database, those of sub-agents left out: they
    belong to another.
    """
    return partial(_session_files, client)


def _session_files(client: str, home: Home, folders: tuple[Path, ...]) -> Iterator[SessionFile]:
    for path in _databases(client, home):
        for identifier, directory, updated, first_commit, size in rows_in(path, _sessions):
            modified = instant(updated)
            if size and modified is not None:
                file = session_in(path, client, identifier, directory, modified, size)
                yield file._replace(repository=str(first_commit or ""))


def _databases(client: str, home: Home) -> list[Path]:
    """Return where a client may have its database: where `CLIENT_DB` is, in its folder if that is
    no whole path, else `CLIENT.db` and those of other channels, `CLIENT-beta.db`.
    """
    folder = home.folder("XDG_DATA_HOME", ".local/share") / client
    chosen = home.environ.get(f"{client.upper()}_DB", "")
    if chosen:
        return [folder / expanded(chosen)]
    return [folder / f"{client}.db", *sorted(folder.glob(f"{client}-*.db"))]


def session_opener(client: str) -> Callable[[Path], AbstractContextManager[Iterable[bytes]] | None]:
    """Return what opens a session of a client's database, `FILE#ID`, in the form of the export.

    A database of any other name is taken for OpenCode's. Raises `OSError` when it is called.
    """
    return partial(_session_lines, client)


def _session_lines(client: str, place: Path) -> AbstractContextManager[Iterable[bytes]] | None:
    path = Path(str(place).rpartition("#")[0])

    begins = "" if client == AGENT else client

    def is_database(name: str) -> bool:
        is_usual = name.startswith(begins) and name.endswith(".db")
        return is_usual or path in _databases(client, Home.of_user())

    def lines(database: Connection, session_id: str, note: str) -> Iterator[bytes]:
        unread = {UNREAD: note} if note else {}
        yield orjson.dumps({"client": client, **_exported(database, session_id), **unread})

    return session_lines(place, is_database, lines)


def _sessions(database: Connection) -> list[Any]:
    columns = {row[1] for row in database.execute("PRAGMA table_info(session)")}
    project = "s.project_id" if "project_id" in columns else "''"
    return database.execute(
        f"SELECT s.id, s.directory, s.time_updated, {project}, (SELECT sum(length(data))"
        " FROM part WHERE session_id = s.id) FROM session s WHERE s.parent_id IS NULL"
    ).fetchall()


def _exported(database: Connection, session_id: str) -> dict[str, object]:
    columns = "id, directory, revert, time_created"
    found = database.execute(f"SELECT {columns} FROM session WHERE id = ?", (session_id,))
    row = found.fetchone()
    if row is None:
        raise FileNotFoundError(2, f"no session {session_id}")
    identifier, directory, revert, created = row
    parts: dict[str, list[object]] = {}
    query = "SELECT message_id, data FROM part WHERE session_id = ? ORDER BY message_id, id"
    for message, data in database.execute(query, (session_id,)):
        parts.setdefault(message, []).append(_loaded(data))
    query = "SELECT id, data FROM message WHERE session_id = ? ORDER BY id"
    messages: list[dict[str, object]] = [
        {"info": {**_loaded(data), "id": message}, "parts": parts.get(message, [])}
        for message, data in database.execute(query, (session_id,))
    ]
    info = {
        "id": identifier,
        "directory": directory,
        "revert": _loaded(revert) if revert else None,
        "time": {"created": created},
    }
    return {"info": info, "messages": messages, "helpers": list(_helpers(database, session_id))}


def _helpers(database: Connection, session_id: str) -> Iterator[Record]:
    """Yield the sessions of a session's sub-agents, of any depth: `{id, parts}`."""
    query = (
        "WITH RECURSIVE below(id) AS (SELECT id FROM session WHERE parent_id = ?"
        " UNION SELECT s.id FROM session s JOIN below ON s.parent_id = below.id)"
        " SELECT p.session_id, p.data FROM part p JOIN below ON p.session_id = below.id"
        " ORDER BY p.session_id, p.message_id, p.id"
    )
    found: dict[str, list[object]] = {}
    for helper, data in database.execute(query, (session_id,)):
        found.setdefault(helper, []).append(_loaded(data))
    yield from ({"id": helper, "parts": parts} for helper, parts in found.items())


def _loaded(data: str) -> Record:
    """Return the object in a row; one that says so of a row that can't be read."""
    try:
        return mapping(load(data))
    except ValueError as error:
        return {UNREAD: f"not JSON: {error}"}


def matches_format(head: Head) -> bool:
    """One object with `info` and `messages` that have `parts`."""
    whole = any("info" in record and "messages" in record for record in head.records)
    return whole or (
        head.start.startswith(b"{")
        and b'"info"' in head.start[:64]
        and (b'"ses_' in head.start or b'"directory"' in head.start)
    )


def place(path: str, in_project: str) -> FilePlace:
    """Return where a client of this kind has a file in the user's settings, or in a project."""
    return FilePlace(path, in_project=in_project, variable="XDG_CONFIG_HOME", folder=".config")


def settings_place(client: str) -> Callable[[Home, Path | None], Path]:
    """Return where a client of this kind has its settings: in `CLIENT.json`, or in `CLIENT.jsonc`
    where that is the only one; it reads both.
    """
    folder = "" if client == AGENT else f".{client}/"
    plain = place(f"{client}/{client}.json", f"{folder}{client}.json")

    def path(home: Home, project: Path | None) -> Path:
        usual = plain(home, project)
        with_comments = usual.with_suffix(".jsonc")
        return with_comments if with_comments.exists() and not usual.exists() else usual

    return path


EVENTS = (
    Hook("chat.message", "session-start", 10),
    Hook("chat.message", "user-prompt", 5),
    Hook("session.compacting", "pre-compact", 20),
    Hook("session.idle", "stop", 20),
)
"""What the plugin hands on."""

_OWN = ".config/opencode"
_SKILLS = (".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills")
_AGENTS = (".opencode/agent", ".opencode/agents")
CLIENT = Client(
    name=AGENT,
    title="OpenCode",
    session_files=session_finder(AGENT),
    matches_format=matches_format,
    read=reader(AGENT),
    lines=session_opener(AGENT),
    hooks=Hooks(
        events=EVENTS,
        style="plugin",
        file=place("opencode/plugin/memtui.js", ".opencode/plugin/memtui.js"),
    ),
    resume=("opencode", "--session", "{id}"),
    asked_by=("env", 'OPENCODE_PERMISSION={"*":"deny"}', "opencode", "run", "--title=memtui"),
    servers=ServerList(settings_place(AGENT), key="mcp", form="line"),
    command=CommandFile(place("opencode/commands/remember.md", ".opencode/commands/remember.md")),
    has_comments=True,
    context=(
        ContextFile(
            "instruction", ".config/opencode/AGENTS.md", of_user=True, variable="XDG_CONFIG_HOME"
        ),
        ContextFile(
            "instruction",
            ".claude/CLAUDE.md",
            of_user=True,
            unless=(".config/opencode/AGENTS.md",),
        ),
        ContextFile("instruction", "AGENTS.md", upward=Upward.PROJECT),
        ContextFile("instruction", "CLAUDE.md", upward=Upward.PROJECT, unless=("AGENTS.md",)),
        *skills_in(*_SKILLS),
        *skills_in(*_SKILLS, of_user=True),
        *skills_in(f"{_OWN}/skill", f"{_OWN}/skills", of_user=True, variable="XDG_CONFIG_HOME"),
        *agents_in(*_AGENTS),
        *agents_in(*_AGENTS, of_user=True),
        *agents_in(f"{_OWN}/agent", f"{_OWN}/agents", of_user=True, variable="XDG_CONFIG_HOME"),
    ),
)
