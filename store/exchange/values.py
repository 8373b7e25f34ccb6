"""Values that the formats share: what a source holds, with its place, and ids for what has none."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from store.errors import Conflict
from store.exchange.long_text import split_observation
from store.model import UNDATED, Observation
from store.notice import Notice, notice
from store.platform.write import write_error
from store.records import base36
from store.text.display import visible

Progress = Callable[[int, int], None]
"""Told how many observations are done, and how many there are."""

MOST_PROBLEMS = 1_000
"""Problems of a source that are named; the others are counted."""
_NOT_PLAIN = re.compile(r"[^a-z0-9]+", re.ASCII)


class Format(StrEnum):
    AGENTX = "agentx"
    JSON_LINES = "json-lines"
    MARKDOWN = "markdown"
    VAULT = "vault"


@dataclass(frozen=True, slots=True)
class Incoming:
    """An observation as its source has it. `place` is where that is: `notes.md, line 12`."""

    observation: Observation
    place: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The contents of a source, and the parts that could not be read."""

    incoming: tuple[Incoming, ...] = ()
    problems: tuple[Notice, ...] = ()


class Reader:
    """Collects what is read of a source, with ids for what has none, and what could not be."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._incoming: list[Incoming] = []
        self._problems: list[Notice] = []
        self._more_problems = 0
        self._seen: Counter[tuple[str, str]] = Counter()

    def place(self, line: int | None) -> str:
        return f"{self.name}, line {line}" if line else self.name

    def add(self, observation: Observation, place: str) -> None:
        self._incoming.append(Incoming(observation, place))

    def add_split(self, observation: Observation, line: int, head: str = "") -> int:
        """Add an observation of a line, with an id that follows from its text, in as many parts as
        its text needs, named after `head`; how many.
        """
        whole = observation._replace(id=self.make_id(observation))
        parts = split_observation(whole, head)
        for number, part in enumerate(parts, 1):
            place = self.place(line)
            self.add(part, place if len(parts) == 1 else f"{place}, part {number}")
        return len(parts)

    def problem(self, what: Notice, place: str) -> None:
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(what.at(place))
        else:
            self._more_problems += 1

    def reading(self) -> Reading:
        count = self._more_problems
        more = (notice("more-problems", problems=count),) if count else ()
        return Reading(tuple(self._incoming), (*self._problems, *more))

    def make_id(self, observation: Observation) -> str:
        """Return an id for what has none: the same source, date and content give the same id every
        time.

        What is twice in a source gets two ids. It reads `obs-{source}-{date}-{12 of 0-9a-z}`.
        """
        time, content = observation.timestamp, observation.content
        exact, day = ("", "undated") if time == UNDATED else (time.isoformat(), f"{time:%Y%m%d}")
        self._seen[exact, content] += 1
        parts = (self.name, exact, content, str(self._seen[exact, content]))
        digest = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
        stem = self.name.rpartition("/")[2].partition(".")[0].lower()
        name = _NOT_PLAIN.sub("", stem)[:20] or "import"
        return f"obs-{name}-{day}-{base36(int.from_bytes(digest), 12)}"


def plain_json(value: object) -> str:
    """JSON on one line, readable, in which nothing acts on a terminal or breaks UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    if visible(text) != text:
        text = json.dumps(value).replace("\x7f", "\\u007f")
    return text


def check_empty(folder: Path) -> None:
    """Raise `Conflict` where a folder holds anything already; `ReadOnly`, `WriteFailed`."""
    try:
        there = min(folder.iterdir(), default=None) if folder.is_dir() else None
    except OSError as error:
        raise write_error(folder, error) from error
    if there is not None:
        raise Conflict(
            f"{folder} is not empty ({there.name}). Nothing was written.",
            "Choose a new folder.",
        )
