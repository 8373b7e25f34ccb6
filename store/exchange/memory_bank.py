"""Markdown memory banks: notes that people and agents keep by hand, and those we wrote ourselves.

Every bullet becomes one observation, and so does every run of prose under a heading. What
`to_markdown_bank` wrote comes back with every field, from the comment above each bullet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from store.errors import InvalidObservation
from store.exchange.bank_blocks import DATE, Block, blocks_of
from store.exchange.bank_words import category_of, tags_of
from store.exchange.values import Reader, Reading, plain_json
from store.model import UNDATED, Category, Observation, check_issue
from store.notice import notice
from store.records import (
    InvalidRecord,
    estimate_tokens,
    first_line,
    format_time,
    from_record,
    parse_time,
    to_record,
)
from store.redaction.private_blocks import remove_private
from store.text.comments import without_comments
from store.text.display import visible

AGENT = "memory-bank"
"""The agent of notes that name none."""

INTRODUCTION = (
    "Each bullet is one observation. The comment above it holds its other fields, for an import."
)
"""The introduction of a bank that we write; it is no memory."""

_OWN = re.compile(r"<!-- memtui (?P<record>\{.*\}) -->")
_OWN_BULLET = re.compile(rf"- (?:{DATE}: )?(?P<text>.*)", re.S)
_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_LEADING_DATE = re.compile(
    rf"(?P<open>[*_\[(]{{0,3}})(?P<date>{DATE}{_TIME})\b(?P<close>:?[*_\])]{{0,3}})"
    r"(?P<gap>\s*(?:[:—–-]+(?=\s|$))?\s*)"
)
_TRAILING_DATE = re.compile(rf"[(\[](?P<date>{DATE})[)\]][.\s]*\Z")
_HEADING_DATE = re.compile(rf"(?P<date>{DATE})")
_NOT_WORDS = re.compile(r"[^\w-]+")
_BOX = re.compile(r"\[(?P<done>[ xX])\]\s+")
_SHORT = 80
"""The characters below which a bullet is taken with its heading."""
_AROUND = 10
"""Bullets around one that are taken with it, the nearest."""
_OURS = "\0"
"""Begins the line in place of an observation of ours; no text has this character."""
_CLOSING = {"*": "*", "_": "_", "[": "]", "(": ")"}


def read_markdown_bank(text: str, name: str) -> Reading:
    """Return the observations of a memory bank. `name` is that of its file, relative to the bank.

    The category is named by the nearest heading, else the file's name; the date by the bullet, the
    bullet around it or the heading; what has none is dated when it is stored. A text over 2,000
    characters becomes several observations.
    """
    reader = Reader(name)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace(_OURS, "\ufffd")
    lines = text.split("\n")
    _blank_front_matter(lines, reader)
    own = list(_take_own(lines, reader))
    lines = ["" if line == INTRODUCTION else line for line in lines]
    remaining, removed = remove_private("\n".join(lines))
    if removed:
        reader.problem(notice("private-skipped", passages=removed), name)
    lines = remaining.split("\n")
    for at, line in enumerate(lines):
        if line.startswith(_OURS):
            observation, number = own[int(line.removeprefix(_OURS))]
            reader.add(observation, reader.place(number))
            lines[at] = ""
    _take_notes(lines, reader)
    return reader.reading()


def to_markdown_bank(observations: Iterable[Observation]) -> str:
    """Observations as dated bullets, oldest first, under a heading for each category."""
    ordered = sorted(observations, key=lambda item: (item.category, item.timestamp, item.id))
    parts = [f"# Memory\n\n{INTRODUCTION}\n"]
    category = None
    for observation in ordered:
        if observation.category != category:
            category = observation.category
            parts.append(f"## {_NOT_WORDS.sub(' ', category).strip() or 'other'}\n")
        parts.append(_bullet(observation))
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class _Note:
    """A block, understood: its text without date and box, and their values."""

    text: str
    timestamp: datetime
    category: str
    tags: tuple[str, ...]


def _blank_front_matter(lines: list[str], reader: Reader) -> None:
    """Blank the front matter of a page: it is about the file."""
    if lines[0].rstrip() != "---":
        return
    end = next((n for n, line in enumerate(lines[1:60], 1) if line.rstrip() == "---"), None)
    if end is not None and all(":" in line or line[:1] in " -#" for line in lines[1:end]):
        lines[: end + 1] = [""] * (end + 1)
        reader.problem(notice("front-matter-skipped", lines=end + 1), reader.place(1))


def _take_own(lines: list[str], reader: Reader) -> Iterator[tuple[Observation, int]]:
    """Yield the observations that we wrote into this bank, each with its line; there only a mark of
    it is left.
    """
    taken = 0
    for at, line in enumerate(lines):
        comment = _OWN.fullmatch(line)
        if comment is None:
            continue
        end = at + 2
        while end < len(lines) and (not lines[end] or lines[end].startswith("  ")):
            end += 1
        try:
            observation = _own_observation(comment["record"], lines[at + 1 : end])
        except (ValueError, RecursionError, InvalidObservation) as error:
            lines[at] = ""
            reader.problem(notice("record-ignored", text=str(error)), reader.place(at + 1))
            continue
        lines[at:end] = [f"{_OURS}{taken}", *[""] * (end - at - 1)]
        taken += 1
        yield observation, at + 2


def _take_notes(lines: list[str], reader: Reader) -> None:
    notes, undated = dict[int, _Note](), 0
    for block in blocks_of(lines):
        note = notes[id(block)] = _understood(block, notes, reader.name)
        if not without_comments(note.text).strip():
            reader.problem(notice("comment-skipped"), reader.place(block.line))
            continue
        undated += note.timestamp == UNDATED
        content = _content(block, note, notes)
        whole = Observation(
            agent=AGENT,
            issue_number=0,
            category=note.category,
            content=content,
            summary=first_line(note.text),
            timestamp=note.timestamp,
            tags=note.tags,
            sources=(f"{reader.name}#L{block.line}",),
        )
        if (parts := reader.add_split(whole, block.line)) > 1:
            message = notice("split", characters=len(content), memories=parts)
            reader.problem(message, reader.place(block.line))
    if undated:
        reader.problem(notice("undated", notes=undated), reader.name)


def _understood(block: Block, notes: Mapping[int, _Note], name: str) -> _Note:
    above = notes[id(block.parent)] if block.parent else None
    heading = _HEADING_DATE.sub("", block.headings[-1]) if block.headings else ""
    text, tags = block.text, tags_of(block.text, heading)
    box = _BOX.match(text) if block.is_bullet else None
    if box:
        text = text[box.end() :]
        tags = ("done", *tags) if box["done"] in "xX" else tags
    timestamp, text = _taken_date(text)
    if timestamp == UNDATED:
        timestamp = above.timestamp if above else _date_of_headings(block.headings)
    path = name.rpartition(".")[0] or name
    titles = (*reversed(block.headings), *reversed(path.split("/")))
    kind = above.category if above else category_of(titles)
    return _Note(text, timestamp, str(Category.TASK if box else kind), tags)


def _content(block: Block, note: _Note, notes: Mapping[int, _Note]) -> str:
    """A note with what it needs to be understood alone: the bullets it is in, or its heading."""
    if context := _context(block, notes):
        return f"{context}\n{note.text}"
    if block.headings and len(note.text) < _SHORT:
        # A few words mean little without their heading.
        heading = _HEADING_DATE.sub("", block.headings[-1]).strip(" :–—-()[]")
        if heading and heading.casefold() not in list(Category):
            return f"{heading}: {note.text}"
    return note.text


def _own_observation(record: str, lines: list[str]) -> Observation:
    """The observation of a comment and the bullet under it. Raises `ValueError` and the door's."""
    value: dict[str, Any] = json.loads(record)
    first = _OWN_BULLET.fullmatch(lines[0]) if lines else None
    if first is None:
        raise InvalidRecord("no bullet follows it")
    text = "\n".join([first["text"], *(line[2:] for line in lines[1:])]).rstrip("\n")
    return from_record({"content": text, **value}, check_issue(value.get("issueNumber", 0)))


def _context(block: Block, notes: Mapping[int, _Note]) -> str:
    """Context that a note needs to be understood alone: the bullets it is in, or its heading."""
    if not block.is_bullet:
        return block.headings[-1] if block.headings else ""
    above: list[str] = []
    parent = block.parent
    while parent is not None and len(above) < _AROUND:
        above.append(first_line(notes[id(parent)].text))
        parent = parent.parent
    return " › ".join(filter(None, reversed(above)))


def _taken_date(text: str) -> tuple[datetime, str]:
    """Return the date a note gives itself, and the note without it.

    A date inside brackets or bold that go on stays in the note, as does one at its end.
    """
    found = _LEADING_DATE.match(text)
    if found and (timestamp := _moment(found["date"])) != UNDATED:
        closing = "".join(_CLOSING[char] for char in reversed(found["open"]))
        closed = found["close"].replace(":", "") == closing
        rest = text[found.end() :]
        return (timestamp, rest) if closed and rest.strip() else (timestamp, text)
    found = _TRAILING_DATE.search(text[-40:])
    return (_moment(found["date"]) if found else UNDATED), text


def _date_of_headings(headings: tuple[str, ...]) -> datetime:
    for heading in reversed(headings):
        found = _HEADING_DATE.search(heading)
        if found and (timestamp := _moment(found["date"])) != UNDATED:
            return timestamp
    return UNDATED


def _moment(text: str) -> datetime:
    try:
        return parse_time(text.replace("/", "-"))
    except ValueError:
        return UNDATED


def _bullet(observation: Observation) -> str:
    record = to_record(observation)
    content = record.pop("content")
    if record["summary"] == first_line(content):
        del record["summary"]
    if record["tokens"] == estimate_tokens(content):
        del record["tokens"]
    if not record["sessionId"]:
        del record["sessionId"]
    shown = visible(content)
    if shown != content or content != content.strip("\n"):
        record["content"] = content
        shown = shown.strip("\n")
    first, *more = shown.split("\n")
    # Nothing in the comment may end it: in JSON a `>` is only found inside a string.
    comment = plain_json(record).replace(">", "\\u003e")
    lines = [
        f"<!-- memtui {comment} -->",
        f"- {format_time(observation.timestamp)[:10]}: {first}",
        *(f"  {line}" if line else "" for line in more),
    ]
    return "\n".join(lines) + "\n"
