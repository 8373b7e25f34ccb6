"""The files of a vault as records: one for each entry, section, task or note.

What a record has beyond that is in the sidecar. Pure: text in, values out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from store.backends.vault.layout import (
    ARCHIVE,
    PROJECT,
    agent_of,
    category_named,
    location_of_file,
    owner,
)
from store.backends.vault.markdown import Entry, Kind, Piece, front_matter, parse, tags_in
from store.backends.vault.pieces import pieces_of
from store.backends.vault.topics import category_of_topic, is_index
from store.model import MAX_SUMMARY, Category, Location
from store.records import cut_line, estimate_tokens, first_line, format_time, parse_time
from store.text.properties import Properties, read_properties
from store.text.wiki_links import aliases_in

NOTES = "notes"
"""The agent of notes that name none."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST_MS = 100_000_000_000
"""Numbers below are no milliseconds of a time that a memory can be of (1973)."""
_MOST_MS = 253_402_300_799_999
"""Milliseconds of the last time there is: of the year 9999."""
_DATES = ("created", "date", "timestamp")


class Item(NamedTuple):
    """A memory of a file: `record` follows from its text, `value` is the whole one.

    `key` names it in the sidecar. `piece` counts the pieces of the file before it. `is_dated`: its
    time is in the text, and is not that of the file.
    """

    path: str
    piece: int
    kind: Kind
    key: str
    record: dict[str, Any]
    is_dated: bool
    value: dict[str, Any]

    @property
    def location(self) -> Location:
        """The place of its file: the vault or its archive."""
        return location_of_file(self.path)


def items_of(path: str, text: str, mtime: datetime) -> Iterator[Item]:
    """Yield the memories of a file, in its order. `mtime` dates what has no date of its own."""
    for at, piece in enumerate(pieces_of(path, text)):
        if piece.kind is Kind.NOTE:
            if (item := note_item(path, text, mtime)) is not None:
                yield item
        elif piece.kind is not Kind.FILLER:
            yield item_of(path, at, piece, mtime)


def item_of(path: str, at: int, piece: Piece, mtime: datetime) -> Item:
    agent, category = owner(path) or (NOTES, Category.KEY_FACT)
    entry = parse(piece, is_task=category == Category.TASK)
    time = time_of(entry)
    key = entry.key or _hash(path.removeprefix(f"{ARCHIVE}/"), entry.content.partition("\n")[0])
    tags = entry.tags
    if entry.is_done and "done" not in tags:
        tags = (*tags, "done")
    record = _record(key, agent, category, entry.content, time or mtime, tags)
    return Item(
        path=path,
        piece=at,
        kind=piece.kind,
        key=key,
        record=record,
        is_dated=time is not None,
        value=record,
    )


def note_item(path: str, text: str, mtime: datetime) -> Item | None:
    """Return the memory that a file is as a whole; `None` where it has no text, or only lists the
    notes of its folder.
    """
    front, body = front_matter(text.replace("\r\n", "\n"))
    content = body.removeprefix("\ufeff").strip("\n")
    properties = read_properties(front)
    if not content.strip() or is_index(path, content):
        return None
    title = path.rpartition("/")[2].removesuffix(".md")
    agent, category = owner(path) or ("", "")
    if path == PROJECT:
        agent, category, title = "project", Category.PROJECT, first_line(content).lstrip("# ")
    named = next((str(properties[key]) for key in ("category", "type") if key in properties), "")
    category = category_named(named) or category_named(category) or category_of_topic(front)
    noted = properties.get("agent")
    agent = agent_of(noted) if isinstance(noted, str) else agent if path == PROJECT else NOTES
    time = _time_in(properties) or _time_in({"date": title})
    key = _hash(path.removeprefix(f"{ARCHIVE}/"))
    record = _record(key, agent, category, content, time or mtime, _tags(properties, body))
    record["summary"] = first_line(title) or record["summary"]
    described = properties.get("description")
    if isinstance(described, str) and described.strip():
        record["summary"] = cut_line(f"{title}: {described}", MAX_SUMMARY)
        # Links go on to find it by its title.
        names = dict.fromkeys((*aliases_in({"properties": properties}), title))
        properties = {**properties, "aliases": list(names)}
    if properties:
        record["properties"] = dict(properties)
    return Item(
        path=path,
        piece=0,
        kind=Kind.NOTE,
        key=key,
        record=record,
        is_dated=time is not None,
        value=record,
    )


def minute_of(time: datetime) -> str:
    """Return a time as an entry's heading has it: `2026-03-16T16:51`, in UTC."""
    return time.astimezone(UTC).isoformat(timespec="minutes").removesuffix("+00:00")


def ms_of(time: datetime) -> int:
    """Milliseconds since 1970, at least 1."""
    return max(1, (time - _EPOCH) // timedelta(milliseconds=1))


def time_of(entry: Entry) -> datetime | None:
    """When an entry was made: to the millisecond, where its key is of the minute of its heading."""
    exact = _time_of_key(entry.key)
    try:
        from_file = parse_time(entry.time) if entry.time else None
    except ValueError:
        from_file = None
    if from_file is None or exact is None:
        return from_file or exact
    same = minute_of(from_file) == minute_of(exact) and from_file.second == 0
    return exact if same else from_file


def _time_of_key(key: str) -> datetime | None:
    number = int(key) if key else 0
    return _EPOCH + timedelta(milliseconds=number) if _LEAST_MS <= number <= _MOST_MS else None


def _record(
    key: str, agent: str, category: str, content: str, time: datetime, tags: tuple[str, ...]
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": key,
        "agent": agent,
        "issueNumber": 0,
        "category": str(category),
        "content": content,
        "summary": first_line(content.lstrip("# ")) or first_line(content),
        "tokens": estimate_tokens(content),
        "timestamp": format_time(time),
        "sessionId": "",
    }
    if tags:
        record["tags"] = list(tags)
    return record


def _tags(properties: Properties, body: str) -> tuple[str, ...]:
    written = properties.get("tags", properties.get("tag", ""))
    names = written if isinstance(written, list) else re.split(r"[,\s]+", written)
    plain = (name.strip().removeprefix("#") for name in names)
    return tuple(dict.fromkeys([*filter(None, plain), *tags_in(body)]))


def _time_in(properties: Properties) -> datetime | None:
    for name in _DATES:
        try:
            return parse_time(str(properties[name]))
        except (KeyError, ValueError):
            continue
    return None


def _hash(*parts: str) -> str:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"note-{blake2b(data, digest_size=6).hexdigest()}"
