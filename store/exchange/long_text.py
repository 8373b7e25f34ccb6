"""A text that is too long for one observation, cut where it reads best."""

from __future__ import annotations

import re
from collections.abc import Callable

from store.errors import InvalidObservation
from store.model import MAX_CONTENT, Observation
from store.records import first_line
from store.redaction.sanitizer import sanitize

_ROOM = 100
"""Characters kept free, so that a mark which cleaning puts in still fits."""
_BREAKS = ("\n\n", "\n", ". ", " ")
_MARK = re.compile(r"\[redacted [^\]\n]{1,80}\]")


def pieces(text: str, clean: Callable[[str], str]) -> list[str]:
    """The text itself where it fits, else its pieces in order, once it is cleaned as a whole.

    Cut after a paragraph, a line, a sentence or a word, whichever comes first in this order and
    leaves a piece at least half full; never through a mark of the sanitizer.
    """
    if len(text) <= MAX_CONTENT:
        return [text]
    rest = clean(text)
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


def split_observation(whole: Observation) -> list[Observation]:
    """An observation in as many as its text needs, each after the first with its number.

    Raises `InvalidObservation` for one that has an id, which only one can have.
    """
    parts = pieces(whole.content, lambda long: sanitize(long).text)
    if len(parts) == 1:
        return [whole]
    if whole.id:
        raise InvalidObservation(
            f"{whole.id} has {len(whole.content):,} characters; a memory holds {MAX_CONTENT:,}.",
            "Shorten it, or leave its id out to have it split.",
        )
    head = whole.summary or first_line(whole.content)
    return [
        whole._replace(content=part, summary=f"({number} of {len(parts)}) {head}")
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
