"""A vault's Markdown as text: cut into pieces that, joined again, are the very same text.

An entry is a mark with its id, a heading with its minute and tags, Markdown, and a rule:

    <!-- id:1773679871839 -->
    ## 2026-03-16T16:51 · #react #typescript

    Free-form memory content in markdown.

    ---

What people and agents write between entries is a piece too: nothing is left out, nothing is laid
out anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from store.text.comments import without_comments
from store.text.properties import split_properties

MARK = re.compile(r"<!--[ \t]*id:[ \t]*(?P<key>[0-9]{1,18})[ \t]*-->[ \t]*", re.ASCII)
"""The line that begins an entry."""
_HEADING = re.compile(
    r"##[ \t]+(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)"
    r"(?![\w:])[ \t]*·?[ \t]*(?P<rest>.*)"
)
_ESCAPED = re.compile(r"(?m)^(?=\\*(?:<!--[ \t]*id:[ \t]*[0-9]+[ \t]*-->|---)[ \t]*$)")
_UNESCAPED = re.compile(r"(?m)^\\(?=\\*(?:<!--[ \t]*id:[ \t]*[0-9]+[ \t]*-->|---)[ \t]*$)")
_BOX = re.compile(r"[-*+][ \t]+\[(?P<done>[ xX])\][ \t]+(?P<text>.*)", re.S)
_BOXES = re.compile(r"(?m)^[-*+][ \t]+\[([ xX])\][ \t]")
_TAG = re.compile(r"#([^\s#]+)")
_WORD_TAG = re.compile(r"(?<![\w&/#])#(\w*[^\W\d]\w*)")
_UNSEEN = re.compile("[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f]")
_SPACES = re.compile(r"[\s#]+")


class Kind(StrEnum):
    ENTRY = "entry"
    """An entry with its mark."""
    SECTION = "section"
    """What is between entries without a mark: free text, or a section of it."""
    BOX = "box"
    """One task of a list, without a mark."""
    NOTE = "note"
    """A file that is one memory as a whole."""
    FILLER = "filler"
    """Titles, blank lines and properties: no memory."""


@dataclass(slots=True)
class Piece:
    """A part of a file, to be changed in place."""

    kind: Kind
    text: str

    @property
    def key(self) -> int | None:
        """The number of its mark, where it has one."""
        mark = MARK.fullmatch(self.text.partition("\n")[0].rstrip())
        return int(mark["key"]) if mark else None


class Entry(NamedTuple):
    """A piece, parsed. `time` is empty where it names none; `key` where it has no mark."""

    key: str
    time: str
    tags: tuple[str, ...]
    content: str
    is_done: bool = False


def split(text: str, *, tasks: bool = False) -> list[Piece]:
    """The pieces of a file of one category. With `tasks` each checkbox between entries is one."""
    cutter = _Cutter(tasks)
    front, text = front_matter(text)
    if front:
        cutter.pieces.append(Piece(Kind.FILLER, front))
    elif text.startswith("\ufeff"):
        cutter.pieces.append(Piece(Kind.FILLER, text[0]))
        text = text[1:]
    for line in text.split("\n"):
        cutter.take(line)
    return cutter.finish()


def front_matter(text: str) -> tuple[str, str]:
    """Return the properties at the start of a note, their rules included, and what follows them.

    Where an entry of a vault is between the rules, they are none of properties.
    """
    front, rest = split_properties(text)
    has_entry = any(MARK.fullmatch(line.rstrip()) for line in front.split("\n"))
    return ("", text) if has_entry else (front, rest)


def parse(piece: Piece, *, is_task: bool = False) -> Entry:
    lines = piece.text.replace("\r\n", "\n").split("\n")
    key = ""
    if (mark := MARK.fullmatch(lines[0])) is not None:
        key = str(int(mark["key"]))
        lines = lines[1:]
    while lines and not lines[0].strip():
        lines = lines[1:]
    heading = _HEADING.fullmatch(lines[0].rstrip()) if lines else None
    time, tags, title = "", tuple[str, ...](), ""
    if heading is not None:
        time, rest = heading["time"], heading["rest"]
        tags = tuple(dict.fromkeys(_TAG.findall(rest)))
        title = " ".join(_TAG.sub("", rest).replace("·", " ").split())
        lines = lines[1:]
    body = _body(lines)
    content = "\n\n".join(part for part in (title, body) if part)
    tags = tags or tags_in(content)
    boxes = _BOXES.findall(content) if is_task else []
    is_done = bool(boxes) and " " not in boxes
    if len(boxes) == 1 and (box := _BOX.fullmatch(content)):
        content = box["text"]
    return Entry(key, time, tags, content or time or key, is_done)


def render(entry: Entry, *, is_task: bool = False) -> str:
    """Return an entry as the vault writes it, with its rule. The time is to the minute."""
    tags = dict.fromkeys(_SPACES.sub("-", _UNSEEN.sub("", tag)).strip("-") for tag in entry.tags)
    heading = " · ".join(filter(None, [entry.time, " ".join(f"#{tag}" for tag in tags if tag)]))
    content = _UNSEEN.sub("\ufffd", entry.content.replace("\r\n", "\n").replace("\r", "\n"))
    body = _ESCAPED.sub(r"\\", content.strip("\n"))
    if is_task and not _BOXES.search(body):
        body = f"- [{'x' if entry.is_done else ' '}] {body}"
    return f"<!-- id:{entry.key} -->\n## {heading}\n\n{body}\n\n---\n"


def tags_in(content: str) -> tuple[str, ...]:
    """Return the tags in a text: `#word`; a number such as `#29` is none."""
    return tuple(dict.fromkeys(_WORD_TAG.findall(content)))


def _body(lines: list[str]) -> str:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    if end and lines[end - 1].rstrip() == "---" and (end == 1 or not lines[end - 2].strip()):
        end -= 1
    while end and not lines[end - 1].strip():
        end -= 1
    start = 0
    while start < end and not lines[start].strip():
        start += 1
    return _UNESCAPED.sub("", "\n".join(lines[start:end]))


class _Cutter:
    """Takes the lines of a file, and knows what the piece is that they are part of."""

    def __init__(self, tasks: bool) -> None:
        self.pieces: list[Piece] = []
        self._tasks = tasks
        self._kind = Kind.FILLER
        self._lines: list[str] = []
        self._is_ended = False

    def take(self, line: str) -> None:
        stripped = line.rstrip()
        if MARK.fullmatch(stripped):
            self._begin(Kind.ENTRY)
        elif not stripped:
            pass
        elif self._is_ended or self._kind is not Kind.ENTRY:
            self._take_free(line, stripped)
        if stripped == "---" and not self._is_ended and self._is_after_blank():
            self._is_ended = True
        self._lines.append(line)

    def _take_free(self, line: str, stripped: str) -> None:
        """Begin another piece, where what is outside of entries does so with this line."""
        if stripped.startswith("# "):
            self._begin(Kind.FILLER)
        elif self._tasks and _BOX.match(stripped):
            self._begin(Kind.BOX)
        elif stripped.startswith("## "):
            self._begin(Kind.SECTION)
        elif stripped == "---" and self._kind is not Kind.SECTION:
            self._begin(Kind.FILLER)
        elif (
            self._is_ended
            or self._kind is Kind.FILLER
            or (self._kind is Kind.BOX and not line[0].isspace())
        ):
            self._begin(Kind.SECTION)

    def _is_after_blank(self) -> bool:
        return len(self._lines) > 0 and not self._lines[-1].strip()

    def _begin(self, kind: Kind) -> None:
        self._close("\n")
        self._kind, self._is_ended = kind, False

    def _close(self, end: str) -> None:
        if self._lines:
            text = "\n".join(self._lines) + end
            has_text = self._kind is Kind.ENTRY or without_comments(text).strip(" \t\r\n-")
            self.pieces.append(Piece(self._kind if has_text else Kind.FILLER, text))
        self._lines = []

    def finish(self) -> list[Piece]:
        self._close("")
        return [piece for piece in self.pieces if piece.text]
