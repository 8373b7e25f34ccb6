"""Values that the formats share: readings with their places, and ids for what has none."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from store.model import UNDATED, Observation
from store.notice import Notice, notice
from store.text.display import visible

Progress = Callable[[int, int], None]
"""Told how many observations are done, and how many there are."""

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_DIGITS = 12
_NOT_PLAIN = re.compile(r"[^a-z0-9]+", re.ASCII)


class Format(StrEnum):
    """The formats that memory comes in and goes out in."""

    AGENTX = "agentx"
    JSON_LINES = "json-lines"
    MARKDOWN = "markdown"
    VAULT = "vault"


@dataclass(frozen=True, slots=True)
class Incoming:
    """An observation as its source has it. `place` says where that is: `notes.md, line 12`."""

    observation: Observation
    place: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The contents of a source, and the parts that could not be read."""

    incoming: tuple[Incoming, ...] = ()
    problems: tuple[Notice, ...] = ()


class Problems(list[Notice]):
    """Parts that could not be read: the first of them, and how many more."""

    MOST = 1_000

    def __init__(self) -> None:
        super().__init__()
        self._more = 0

    def append(self, problem: Notice) -> None:
        """Add one; beyond `MOST` it is only counted."""
        if len(self) < self.MOST:
            super().append(problem)
        else:
            self._more += 1

    def told(self) -> tuple[Notice, ...]:
        """All that is to be told of them."""
        more = (notice("more-problems", problems=self._more),) if self._more else ()
        return (*self, *more)


class _Said(NamedTuple):
    day: str
    content: str


@dataclass(slots=True)
class DerivedIds:
    """Ids for what has none: the same source, date and content give the same id every time.

    What stands twice in a source gets two ids. The id reads `obs-{source}-{date}-{12 of 0-9a-z}`.
    """

    source: str
    _seen: Counter[_Said] = field(default_factory=Counter)

    def make(self, timestamp: datetime, content: str) -> str:
        """The id of the next observation of the source."""
        day = "undated" if timestamp == UNDATED else f"{timestamp:%Y%m%d}"
        said = _Said("" if timestamp == UNDATED else timestamp.isoformat(), content)
        self._seen[said] += 1
        parts = (self.source, said.day, content, str(self._seen[said]))
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
        stem = self.source.rpartition("/")[2].partition(".")[0].lower()
        name = _NOT_PLAIN.sub("", stem)[:20] or "import"
        return f"obs-{name}-{day}-{_base36(digest)}"


def plain_json(value: object) -> str:
    """JSON on one line, readable, in which nothing acts on a terminal or breaks UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    if visible(text) != text:
        text = json.dumps(value).replace("\x7f", "\\u007f")
    return text


def _base36(digest: bytes) -> str:
    number = int.from_bytes(digest, "big")
    letters = []
    for _ in range(_DIGITS):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return "".join(letters)
