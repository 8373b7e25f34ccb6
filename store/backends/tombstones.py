"""Tombstones: what was removed or reworded, known by a digest of its text and by its sources.

They keep captures, imports, agents and merges from bringing it back. A tombstone has no text. Those
of an issue are one text, a line each, so that git merges them line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from store.model import FINDER, SESSION_MARK, TOOL_MARK
from store.platform.json_fields import string
from store.records import format_time, time_or_none

_DIGEST_BYTES = 12
_MARKS = (SESSION_MARK, TOOL_MARK)
_FORGOTTEN = "forgotten"
_NOWHERE = f"{SESSION_MARK}unknown#"
"""How the places of a session without an id begin: they are those of any other, too."""


class Tombstone(NamedTuple):
    """A memory that was removed, or the old text of one that was reworded.

    `text` is its digest, `agent` whose memory it was, `by` the agent that did it, empty where a
    person did. `sources` are the places of a session that it came from, where `finder` found it.
    What `is_forgotten` is to be nowhere: on no other machine either.
    """

    text: str
    id: str
    agent: str
    at: datetime
    sources: frozenset[str] = frozenset()
    by: str = ""
    finder: str = ""
    is_forgotten: bool = False

    def is_back_as(self, record: Mapping[str, Any]) -> bool:
        """Return whether a record has the text anew, as another clone captured it before.

        Under its own id it is back because somebody put it back.
        """
        at = time_or_none(record.get("timestamp"))
        is_older = at is not None and at <= self.at
        return is_older and record.get("agent") == self.agent and record.get("id") != self.id

    def has_come_from(self, places: frozenset[str], finder: str) -> bool:
        """Return whether what a finder found at some places of a session is what was removed: all
        of them are its places, or all its tool calls are among them, as the session went on.
        """
        tools = {place for place in self.sources if place.startswith(TOOL_MARK)}
        has_grown = bool(tools) and tools <= places and finder == self.finder
        return bool(places) and (places <= self.sources or has_grown)


def digest_of(text: str) -> str:
    """Digest the words of a text, whatever their case and white space."""
    words = " ".join(text.split()).casefold().encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=_DIGEST_BYTES).hexdigest()


def text_of(record: Mapping[str, Any]) -> str:
    return digest_of(string(record.get("content")))


def tombstone_of(
    record: Mapping[str, Any], now: datetime, by: str = "", *, is_forgotten: bool = False
) -> Tombstone:
    """Return the tombstone of a record that an agent removes, or a person where none is named."""
    sources = places_of(record.get("sources"))
    identifier, agent = string(record.get("id")), string(record.get("agent"))
    return Tombstone(
        text=text_of(record),
        id=identifier,
        agent=agent,
        at=now,
        sources=sources,
        by=by,
        finder=string(record.get(FINDER)),
        is_forgotten=is_forgotten,
    )


def by_text(stones: Iterable[Tombstone]) -> dict[str, list[Tombstone]]:
    found: dict[str, list[Tombstone]] = {}
    for stone in stones:
        found.setdefault(stone.text, []).append(stone)
    return found


def name_of(issue: int) -> str:
    return f"issue-{issue}"


def parse_tombstones(data: bytes) -> Iterator[Tombstone]:
    """The tombstones of a text; lines that are none, such as git's marks of a conflict, are not."""
    for line in data.decode("utf-8", "replace").splitlines():
        with suppress(ValueError, RecursionError):
            value = json.loads(line)
            if isinstance(value, dict) and isinstance(value.get("text"), str):
                at = time_or_none(value.get("at"))
                if at is not None:
                    identifier, agent = string(value.get("id")), string(value.get("agent"))
                    sources, by = places_of(value.get("sources")), string(value.get("by"))
                    finder = string(value.get(FINDER))
                    yield Tombstone(
                        text=value["text"],
                        id=identifier,
                        agent=agent,
                        at=at,
                        sources=sources,
                        by=by,
                        finder=finder,
                        is_forgotten=value.get(_FORGOTTEN) is True,
                    )


def dump_tombstones(stones: Iterable[Tombstone]) -> bytes:
    """Tombstones as lines, in an order that is the same in every clone."""
    return b"".join(sorted({_line(stone) for stone in stones}))


def joined(one: bytes, other: bytes) -> bytes:
    """Two versions of an issue's tombstones as one text."""
    return dump_tombstones([*parse_tombstones(one), *parse_tombstones(other)])


def places_of(sources: object) -> frozenset[str]:
    """Return the sources that are places of a session that has an id."""
    if not isinstance(sources, list | tuple):
        return frozenset()
    marks = (source for source in sources if isinstance(source, str))
    return frozenset(
        mark for mark in marks if mark.startswith(_MARKS) and not mark.startswith(_NOWHERE)
    )


def _line(stone: Tombstone) -> bytes:
    value: dict[str, Any] = {
        "text": stone.text,
        "id": stone.id,
        "agent": stone.agent,
        "at": format_time(stone.at),
        "sources": sorted(stone.sources),
        "by": stone.by,
        FINDER: stone.finder,
        _FORGOTTEN: stone.is_forgotten,
    }
    kept = {key: it for key, it in value.items() if it}
    return json.dumps(kept).encode("ascii") + b"\n"
