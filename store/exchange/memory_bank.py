"""Markdown memory banks: notes that people and agents keep by hand, and those we wrote ourselves.

Every bullet becomes one observation, and so does every run of prose under a heading. What
`to_markdown_bank` wrote comes back with every field, from the comment above each bullet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from store.errors import InvalidObservation
from store.exchange.bank_blocks import DATE, Block, blocks_of
from store.exchange.bank_words import category_of, tags_of
from store.exchange.long_text import pieces
from store.exchange.values import DerivedIds, Incoming, Problems, Reading
from store.model import UNDATED, Category, Observation, check_issue
from store.notice import Notice, notice
from store.records import InvalidRecord, first_line, from_record, parse_time
from store.redaction.private import remove_private
from store.redaction.sanitizer import sanitize
from store.text.comments import without_comments

AGENT = "memory-bank"
"""The agent of notes that don't say whose they are."""

INTRODUCTION = (
    "Each bullet is one observation. The comment above it holds its other fields, for an import."
)
"""What a bank that we write says of itself; it is no memory."""

_OWN = re.compile(r"<!-- memtui (?P<record>\{.*\}) -->")
_OWN_BULLET = re.compile(rf"- (?:{DATE}: )?(?P<text>.*)", re.S)
_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_LEADING_DATE = re.compile(
    rf"(?P<open>[*_\[(]{{0,3}})(?P<date>{DATE}{_TIME})\b(?P<close>:?[*_\])]{{0,3}})"
    r"(?P<gap>\s*(?:[:—–-]+(?=\s|$))?\s*)"
)
_TRAILING_DATE = re.compile(rf"[(\[](?P<date>{DATE})[)\]][.\s]*\Z")
_HEADING_DATE = re.compile(rf"(?P<date>{DATE})")
_BOX = re.compile(r"\[(?P<done>[ xX])\]\s+")
_SHORT = 80
"""The characters below which a bullet is told with its heading."""
_AROUND = 10
"""Bullets around one that are told with it, the nearest."""
_OURS = "\0"
"""Begins the line that stands for an observation of ours; no text has this character."""
_CLOSING = {"*": "*", "_": "_", "[": "]", "(": ")"}


def read_markdown_bank(text: str, name: str) -> Reading:
    """The observations of a memory bank. `name` is that of its file, relative to the bank.

    The category is told by the nearest heading, else the file's name; the date by the bullet, the
    bullet around it or the heading; what has none is dated when it is stored. A text over 2,000
    characters becomes several observations.
    """
    reader = _Reader(name)
    reader.read(text)
    return Reading(tuple(reader.incoming), reader.problems.told())


@dataclass(frozen=True, slots=True)
class _Note:
    """A block, understood: its text without date and box, and what these said."""

    text: str
    timestamp: datetime
    category: str
    tags: tuple[str, ...]


@dataclass(slots=True)
class _Reader:
    name: str
    incoming: list[Incoming] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)

    def read(self, text: str) -> None:
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace(_OURS, "\ufffd")
        lines = text.split("\n")
        self._take_front_matter(lines)
        own = list(self._take_own(lines))
        lines = ["" if line == INTRODUCTION else line for line in lines]
        remaining, removed = remove_private("\n".join(lines))
        if removed:
            self._remark(None, notice("private-skipped", passages=removed))
        lines = remaining.split("\n")
        for at, line in enumerate(lines):
            if line.startswith(_OURS):
                self.incoming.append(own[int(line.removeprefix(_OURS))])
                lines[at] = ""
        self._take_notes(lines)

    def _take_notes(self, lines: list[str]) -> None:
        ids, notes, undated = DerivedIds(self.name), dict[int, _Note](), 0
        for block in blocks_of(lines):
            note = notes[id(block)] = self._understood(block, notes)
            if not without_comments(note.text).strip():
                self._remark(block.line, notice("comment-skipped"))
                continue
            undated += note.timestamp == UNDATED
            self._add(block, note, notes, ids)
        if undated:
            self._remark(None, notice("undated", notes=undated))

    def _take_front_matter(self, lines: list[str]) -> None:
        """Blank the front matter of a page: it is about the file."""
        if lines[0].rstrip() != "---":
            return
        end = next((n for n, line in enumerate(lines[1:60], 1) if line.rstrip() == "---"), None)
        if end is not None and all(":" in line or line[:1] in " -#" for line in lines[1:end]):
            lines[: end + 1] = [""] * (end + 1)
            self._remark(1, notice("front-matter-skipped", lines=end + 1))

    def _take_own(self, lines: list[str]) -> Iterator[Incoming]:
        """The observations that we wrote into this bank; in their lines only a mark is left."""
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
                self._remark(at + 1, notice("record-ignored", text=str(error)))
                continue
            lines[at:end] = [f"{_OURS}{taken}", *[""] * (end - at - 1)]
            taken += 1
            yield Incoming(observation, f"{self.name}, line {at + 2}")

    def _understood(self, block: Block, notes: dict[int, _Note]) -> _Note:
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
        path = self.name.rpartition(".")[0] or self.name
        titles = (*reversed(block.headings), *reversed(path.split("/")))
        kind = above.category if above else category_of(titles)
        return _Note(text, timestamp, str(Category.TASK if box else kind), tags)

    def _add(self, block: Block, note: _Note, notes: dict[int, _Note], ids: DerivedIds) -> None:
        context = _context(block, notes)
        content = f"{context}\n{note.text}" if context else note.text
        if not context and block.headings and len(note.text) < _SHORT:
            # A few words say little without the heading that they stand under.
            heading = _HEADING_DATE.sub("", block.headings[-1]).strip(" :–—-()[]")
            if heading and heading.casefold() not in list(Category):
                content = f"{heading}: {note.text}"
        identifier = ids.make(note.timestamp, content)
        place = f"{self.name}, line {block.line}"
        whole = Observation(
            id=identifier,
            agent=AGENT,
            issue_number=0,
            category=note.category,
            content=content,
            summary=first_line(note.text),
            timestamp=note.timestamp,
            tags=note.tags,
            sources=(f"{self.name}#L{block.line}",),
        )
        # A secret that a cut went through would not be known again: clean first, then cut.
        parts = pieces(content, lambda long: sanitize(long).text)
        if len(parts) == 1:
            self.incoming.append(Incoming(whole, place))
            return
        self._remark(block.line, notice("split", characters=len(content), memories=len(parts)))
        for number, part in enumerate(parts, 1):
            summary = f"({number} of {len(parts)}) {first_line(part)}"
            piece = whole._replace(id=f"{identifier}-{number}", content=part, summary=summary)
            self.incoming.append(Incoming(piece, f"{place}, part {number}"))

    def _remark(self, line: int | None, what: Notice) -> None:
        self.problems.append(what.at(f"{self.name}, line {line}" if line else self.name))


def _own_observation(record: str, lines: list[str]) -> Observation:
    """The observation of a comment and the bullet under it. Raises `ValueError` and the door's."""
    value: dict[str, Any] = json.loads(record)
    first = _OWN_BULLET.fullmatch(lines[0]) if lines else None
    if first is None:
        raise InvalidRecord("no bullet follows it")
    text = "\n".join([first["text"], *(line[2:] for line in lines[1:])]).rstrip("\n")
    return from_record({"content": text, **value}, check_issue(value.get("issueNumber", 0)))


def _context(block: Block, notes: dict[int, _Note]) -> str:
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
    """The date a note gives itself, and the note without it.

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
