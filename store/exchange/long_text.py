"""A text that is too long for one observation, cut where it reads best."""

from __future__ import annotations

import re

from store.model import MAX_CONTENT, Observation
from store.records import first_line
from store.redaction.sanitizer import sanitize

_ROOM = 100
"""Characters kept free, so that a mark which cleaning puts in still fits."""
_BREAKS = ("\n\n", "\n", ". ", " ")
_MARK = re.compile(r"\[redacted [^\]\n]{1,80}\]")


def pieces(text: str) -> list[str]:
    """Return the text itself where it fits, else its pieces in order, without secrets: one that a
    cut went through would not be known again.

    Cut after a paragraph, a line, a sentence or a word, whichever comes first in this order and
    leaves a piece at least half full; never through a mark of the sanitizer.
    """
    if len(text) <= MAX_CONTENT:
        return [text]
    rest = sanitize(text).text
    if len(rest) <= MAX_CONTENT:
        return [rest]
    found = []
    limit = MAX_CONTENT - _ROOM
    while len(rest) > limit:
        cut = _cut(rest, limit)
        found.append(rest[:cut])
        rest = rest[cut:]
    found.append(rest)
    return [piece for piece in (piece.strip("\n") for piece in found) if piece.strip()]


def split_observation(whole: Observation, head: str = "") -> list[Observation]:
    """Return an observation in as many as its text needs, each with its number in its id, where the
    whole has one, and its summary: `(2 of 3) {head}`. Without a head, that of the whole or of the
    part.
    """
    parts = pieces(whole.content)
    if len(parts) == 1:
        return [whole._replace(content=parts[0])]
    return [
        whole._replace(
            id=f"{whole.id}-{number}" if whole.id else "",
            content=part,
            summary=f"({number} of {len(parts)}) {head or first_line(part)}",
        )
        for number, part in enumerate(parts, 1)
    ]


def cut_whole(text: str) -> list[tuple[str, str]]:
    """The text in pieces that fit, each with the white space before it: nothing of it is lost."""
    found: list[tuple[str, str]] = []
    rest, gap = text, ""
    while len(rest) > MAX_CONTENT:
        cut = _cut(rest, MAX_CONTENT - _ROOM)
        piece, rest = rest[:cut], rest[cut:]
        found.append((gap, piece.rstrip()))
        gap = piece[len(piece.rstrip()) :] + rest[: len(rest) - len(rest.lstrip())]
        rest = rest.lstrip()
    return [*found, (gap, rest)]


def _cut(text: str, limit: int) -> int:
    for mark in _MARK.finditer(text, limit - _ROOM, limit + _ROOM):
        if mark.start() < limit < mark.end():
            limit = mark.start()
    whole_marks = _MARK.sub(lambda mark: "-" * len(mark[0]), text[:limit])
    for stop in _BREAKS:
        at = whole_marks.rfind(stop, limit // 2)
        if at >= 0:
            return at + len(stop)
    return limit
