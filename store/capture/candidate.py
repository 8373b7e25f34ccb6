"""What may become an observation: found in a session, not yet cleaned, compared or filed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from store.notice import Notice, notice

CAPTURED = notice("captured-before")
"""Why something is passed that an earlier capture of the same session left."""
UNTOLD = notice("untold")
"""Why a change is passed of which nobody said more than that it was made."""
_PASSAGE = 600
"""Characters of the transcript that are shown beside what was taken from them."""


class Candidate(NamedTuple):
    """Something a session taught. `line` is where it ends; `passage` the words it came from.

    `summary` may be empty: it is then the beginning of the content. `marks` are the provenance
    of the tool calls it rests on.
    """

    category: str
    content: str
    line: int
    passage: str
    summary: str = ""
    at: datetime | None = None
    marks: tuple[str, ...] = ()


class Beside(NamedTuple):
    """A change of which nobody said why. What else the session taught names its `files`, and
    `what` was asked for or done; where that is nothing, it is a memory of its own only if it
    `stands_alone`: git and the session have it.
    """

    candidate: Candidate
    what: str
    files: tuple[str, ...]
    stands_alone: bool


class Passed(NamedTuple):
    """Something a session shows that is not worth an observation, and why."""

    text: str
    reason: Notice


Found = Candidate | Beside | Passed
"""What is found in a session."""


class Known(NamedTuple):
    """What memory holds already.

    `marks` are the provenance of all that is held, `changes` the texts of the session's code
    changes, `procedures` that of all procedures; `standing` are the texts, by id, of those that
    none held replaces; `files` is all that other sessions' changes say, which names their files.
    """

    marks: frozenset[str] = frozenset()
    changes: tuple[str, ...] = ()
    procedures: str = ""
    standing: Mapping[str, str] = MappingProxyType({})
    files: str = ""


def passage_of(text: str) -> str:
    """The words that a candidate came from, as much of them as is shown beside it."""
    return shorten(text, _PASSAGE)


def shorten(text: str, limit: int) -> str:
    """The text in one line of at most `limit` characters, cut between words with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1].rsplit(" ", 1)[0] if " " in line[: limit - 1] else line[: limit - 1]
    return cut.rstrip(" ,;:-") + "…"


def listed(names: Sequence[str], limit: int) -> str:
    """The first names that fit into `limit` characters, at least one, and how many more."""
    kept = len(names)
    while kept > 1 and len(", ".join(names[:kept])) > limit:
        kept -= 1
    more = f" and {len(names) - kept} more" if kept < len(names) else ""
    return ", ".join(names[:kept]) + more
