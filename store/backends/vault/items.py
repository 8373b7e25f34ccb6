"""The files of a vault as records: one for each entry, section, task or note.

What a record says beyond that stands in the sidecar. A file is changed piece by piece, so that a
change can be made to one that somebody edited meanwhile, too. Pure: text in, values out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple

from store.backends.vault.layout import (
    ARCHIVE,
    PROJECT,
    agent_of,
    category_named,
    is_of_category,
    owner,
)
from store.backends.vault.markdown import (
    MARK,
    Entry,
    Kind,
    Piece,
    Properties,
    front_matter,
    parse,
    read_properties,
    split,
    tags_in,
)
from store.model import Category
from store.records import estimate_tokens, first_line, format_time, parse_time

NOTES = "notes"
"""The agent of notes that don't say whose they are."""
_MARK_LINE = re.compile(rf"(?m)^{MARK.pattern}\r?$", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST_MS = 100_000_000_000
"""Numbers below are no milliseconds of a time that a memory can be of (1973)."""
_MOST_MS = 253_402_300_799_999
"""Milliseconds of the last time there is: of the year 9999."""
_DATES = ("created", "date", "timestamp")


class Item(NamedTuple):
    """A memory as its file has it: the piece of the file, and the record that follows from it.

    `key` names it in the sidecar. `piece` counts the pieces of the file before it; a note is all
    of its file. `is_dated`: its time stands in the text, and is not that of the file.
    """

    path: str
    piece: int
    kind: Kind | None
    key: str
    record: dict[str, Any]
    is_dated: bool


def is_note(path: str, text: str) -> bool:
    if owner(path) is None:
        return True
    return not is_of_category(path) and _MARK_LINE.search(text) is None


def pieces_of(path: str, text: str) -> list[Piece]:
    return split(text, tasks=_is_tasks(path))


def items_of(path: str, text: str, mtime: datetime) -> Iterator[Item]:
    """Yield the memories of a file, in its order. `mtime` dates what has no date of its own."""
    if is_note(path, text):
        if (item := note_item(path, text, mtime)) is not None:
            yield item
        return
    for at, piece in enumerate(pieces_of(path, text)):
        if piece.kind is not Kind.FILLER:
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
    return Item(path, at, piece.kind, key, record, time is not None)


def note_item(path: str, text: str, mtime: datetime) -> Item | None:
    """Return the memory that a file is as a whole; `None` where it says nothing."""
    front, body = front_matter(text.replace("\r\n", "\n"))
    content = body.removeprefix("\ufeff").strip("\n")
    properties = read_properties(front)
    if not content.strip():
        return None
    title = path.rpartition("/")[2].removesuffix(".md")
    agent, category = owner(path) or ("", "")
    if path == PROJECT:
        agent, category, title = "project", Category.PROJECT, first_line(content).lstrip("# ")
    named = next((str(properties[key]) for key in ("category", "type") if key in properties), "")
    category = category_named(named) or category_named(category) or Category.KEY_FACT
    told = properties.get("agent")
    agent = agent_of(told) if isinstance(told, str) else agent if path == PROJECT else NOTES
    time = _time_in(properties) or _time_in({"date": title})
    key = _hash(path.removeprefix(f"{ARCHIVE}/"))
    record = _record(key, agent, category, content, time or mtime, _tags(properties, body))
    record["summary"] = first_line(title) or record["summary"]
    if properties:
        record["properties"] = dict(properties)
    return Item(path, 0, None, key, record, time is not None)


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
        told = parse_time(entry.time) if entry.time else None
    except ValueError:
        told = None
    if told is None or exact is None:
        return told or exact
    same = minute_of(told) == minute_of(exact) and told.second == 0
    return exact if same else told


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
    told = properties.get("tags", properties.get("tag", ""))
    names = told if isinstance(told, list) else re.split(r"[,\s]+", told)
    plain = (name.strip().removeprefix("#") for name in names)
    return tuple(dict.fromkeys([*filter(None, plain), *tags_in(body)]))


def _time_in(properties: Properties) -> datetime | None:
    for name in _DATES:
        try:
            return parse_time(str(properties[name]))
        except (KeyError, ValueError):
            continue
    return None


def _is_tasks(path: str) -> bool:
    told = owner(path)
    return told is not None and told[1] == Category.TASK


def _hash(*parts: str) -> str:
    said = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"note-{blake2b(said, digest_size=6).hexdigest()}"


class Cell:
    __slots__ = ("is_filler", "text")

    def __init__(self, text: str, *, is_filler: bool = False) -> None:
        self.text = text
        self.is_filler = is_filler

    @property
    def key(self) -> int | None:
        mark = MARK.fullmatch(self.text.partition("\n")[0].rstrip())
        return int(mark["key"]) if mark else None


class PieceChange(NamedTuple):
    """The pieces that a change takes out of a file, and those that it puts in."""

    gone: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def cells_of(path: str, text: str) -> list[Cell]:
    if text and is_note(path, text):
        return [Cell(text)]
    return [
        Cell(piece.text, is_filler=piece.kind is Kind.FILLER) for piece in pieces_of(path, text)
    ]


def insert(cells: list[Cell], key: int, text: str) -> None:
    """Put an entry among the pieces of a file, before the first that is older."""
    at = next((at for at, cell in enumerate(cells) if (cell.key or key) < key), -1)
    if at < 0:
        keyed = [at for at, cell in enumerate(cells) if cell.key is not None]
        fillers = next((at for at, cell in enumerate(cells) if not cell.is_filler), len(cells))
        at = keyed[-1] + 1 if keyed else fillers
    follows = any(cell.text for cell in cells[at:])
    if at and (before := cells[at - 1]).text:
        blank = "\n" if follows else "\n\n"
        while not before.text.endswith(blank):
            before.text += "\n"
    cells.insert(at, Cell(f"{text}\n" if follows and not text.endswith("\n\n") else text))


def change_of(path: str, before: str, after: str) -> PieceChange:
    """The change from one text of a file to another; blank lines between pieces don't count."""
    old, new = _pieces(path, before), _pieces(path, after)
    return PieceChange(tuple((old - new).elements()), tuple((new - old).elements()))


def changed(path: str, text: str, change: PieceChange) -> str:
    """Return a file's text with a change: what that takes out and still stands there as it was is
    gone, what it puts in stands there, once.
    """
    cells, gone = cells_of(path, text), Counter(change.gone)
    for cell in cells:
        if gone[piece := _text_of(cell.text)] > 0:
            gone[piece] -= 1
            cell.text = ""
    there = {_text_of(cell.text) for cell in cells}
    for piece in change.added:
        if piece not in there:
            insert(cells, Cell(piece).key or 0, f"{piece}\n")
    return "".join(cell.text for cell in cells)


def _pieces(path: str, text: str) -> Counter[str]:
    return Counter(_text_of(cell.text) for cell in cells_of(path, text) if not cell.is_filler)


def _text_of(text: str) -> str:
    return text.strip("\n")
