"""A Markdown text taken apart: every bullet and every run of prose, with the headings above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from store.exchange.bank_words import category_named

DATE = r"\d{4}[-/]\d{2}[-/]\d{2}"
"""A day, as people write it in notes."""
_BULLET = re.compile(r"(?P<indent>[ ]*)(?:[-*+•]|\d{1,9}[.)])[ ]+(?P<text>.*)", re.S)


_DATED = re.compile(rf"[ ]{{0,3}}[*_\[(]{{0,3}}{DATE}\b.*", re.S)
_HEADING = re.compile(r"[ ]{0,3}(?P<marks>#{1,6})[ ]+(?P<title>.*)")


_BOLD = re.compile(r"[ ]{0,3}(?P<mark>\*\*|__)(?P<title>[\w-]+(?: [\w-]+)?):?(?P=mark):?[ ]*")
_RULE = re.compile(r"[ ]{0,3}(?:(?:-[ ]*){3,}|(?:\*[ ]*){3,}|(?:_[ ]*){3,})")


_FENCE = re.compile(r"[ ]*(`{3,}|~{3,})")
_TAB = 4


_LOWEST = 7
"""The level of a line in bold that is a heading, below those with marks."""


@dataclass(slots=True)
class Block:
    """A bullet, or a run of prose. `line` counts from 1; `headings` go from the outermost in.

    A bullet inside another one is a block of its own, and the other one its `parent`.
    """

    line: int
    headings: tuple[str, ...]
    is_bullet: bool
    parent: Block | None = None
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text of the block, without its marker and its indentation."""
        return "\n".join(self.lines).strip("\n").rstrip()


@dataclass(frozen=True, slots=True)
class _Open:
    """A bullet that later lines may still belong to. Columns count from 0."""

    indent: int
    offset: int
    block: Block


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """All blocks of a text, in order. Nothing but blank lines, headings and rules is left out."""
    scanner = _Scanner(lines)
    for number, line in enumerate(lines, start=1):
        scanner.take(number, line)
    return scanner.blocks


class _Scanner:
    """Reads one line after the other, and knows to which block it belongs."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []
        self._open: list[_Open] = []
        self._prose: Block | None = None
        self._fence = ""
        self._is_after_blank = False
        self._last_fence = {
            line.strip()[:3]: number for number, line in enumerate(lines, 1) if _is_fence_end(line)
        }

    def take(self, number: int, line: str) -> None:
        if self._fence:
            self._append(number, line)
            if _is_fence_end(line) and line.strip().startswith(self._fence):
                self._fence = ""
            return
        if not line.strip():
            self._is_after_blank = True
            if self._open or self._prose:
                self._append(number, "")
            return
        wide = line.expandtabs(_TAB)
        indent = len(wide) - len(wide.lstrip(" "))
        if _RULE.fullmatch(wide):
            self._close()
        elif (heading := _HEADING.fullmatch(wide)) and not self._is_inside(indent):
            self._take_heading(len(heading["marks"]), heading["title"].strip().rstrip("#").strip())
        elif (bold := _bold_heading(wide)) and not self._is_inside(indent):
            # Its few words don't name what it is under.
            above = next(
                (title for level, title in reversed(self._headings) if level < _LOWEST), ""
            )
            self._take_heading(_LOWEST, f"{above}: {bold}" if above else bold)
        elif bullet := _BULLET.fullmatch(wide):
            self._start(number, indent, bullet.start("text"), bullet["text"])
        elif _DATED.fullmatch(wide) and not self._is_inside(indent):
            self._start(number, indent, indent + 1, wide.strip())
        else:
            while self._is_after_blank and self._open and indent <= self._open[-1].indent:
                self._open.pop()
            self._append(number, line)
        self._is_after_blank = False
        self._look_for_fence(number, line)

    def _take_heading(self, level: int, title: str) -> None:
        self._headings = [item for item in self._headings if item[0] < level] + [(level, title)]
        self._close()

    def _start(self, number: int, indent: int, offset: int, text: str) -> None:
        while self._open and indent < self._open[-1].indent + 2:
            self._open.pop()
        parent = self._open[-1].block if self._open else None
        block = self._new(number, is_bullet=True, parent=parent)
        block.lines.append(text)
        self._open.append(_Open(indent, offset, block))
        self._prose = None

    def _append(self, number: int, line: str) -> None:
        if self._open:
            bullet = self._open[-1]
            bullet.block.lines.append(_dedented(line, bullet.offset))
            return
        if self._prose is None:
            self._prose = self._new(number, is_bullet=False)
        self._prose.lines.append(line)

    def _new(self, number: int, *, is_bullet: bool, parent: Block | None = None) -> Block:
        block = Block(number, tuple(title for _, title in self._headings), is_bullet, parent)
        self.blocks.append(block)
        return block

    def _close(self) -> None:
        self._open.clear()
        self._prose = None

    def _is_inside(self, indent: int) -> bool:
        return bool(self._open) and indent >= self._open[-1].offset

    def _look_for_fence(self, number: int, line: str) -> None:
        """Begin a code block, unless it is never closed: then its marks are plain text."""
        bullet = _BULLET.fullmatch(line)
        found = _FENCE.match(bullet["text"] if bullet else line)
        if found and self._last_fence.get(found[1][:3], 0) > number:
            self._fence = found[1]


def _bold_heading(line: str) -> str:
    """The one or two words of a line in bold that name a category; empty for any other line."""
    found = _BOLD.fullmatch(line)
    return found["title"] if found and category_named(found["title"]) else ""


def _is_fence_end(line: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= 3 and stripped == stripped[0] * len(stripped)


def _dedented(line: str, columns: int) -> str:
    """Return the line without up to so many columns of indentation."""
    wide = line.expandtabs(_TAB) if line[:columns].count("\t") else line
    spaces = len(wide) - len(wide.lstrip(" "))
    return wide[min(spaces, columns) :]
