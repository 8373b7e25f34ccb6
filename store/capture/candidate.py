"""What may become a memory: found in a session, not yet cleaned, compared or filed."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from store.notice import Notice, notice
from store.text.shortening import shorten

CAPTURED = notice("captured-before")
"""Why something is passed that an earlier capture of the same session left."""
STORED = notice("stored-by-agent")
"""Why something is passed in a session whose agent stored what it taught by itself."""
UNTOLD = notice("untold")
"""Why a change is passed of which nobody said anything."""
_PASSAGE = 600
"""Characters of the transcript that are shown beside what was taken from them."""


class Candidate(NamedTuple):
    """Something that a session shows. `line` is where it ends; `passage` the words it came from.

    `summary` may be empty: it is then the beginning of the content. `marks` are the provenance
    of the tool calls it rests on. `finder` names who found it; `replaces` is the id of the held
    memory that is no longer true because of it. `tags` are for what a vault's own program would
    tag.
    """

    category: str
    content: str
    line: int
    passage: str
    summary: str = ""
    at: datetime | None = None
    marks: tuple[str, ...] = ()
    finder: str = ""
    replaces: str = ""
    tags: tuple[str, ...] = ()


class Skipped(NamedTuple):
    """Something that a session shows and that is not stored, and why. `seen` is the id of the held
    memory that says it already.
    """

    text: str
    reason: Notice
    seen: str = ""


Found = Candidate | Skipped
"""What a finder yields."""


class Picked(NamedTuple):
    """What a language model picked from a session. It did not see `left_out` messages."""

    found: tuple[Found, ...] = ()
    left_out: int = 0


def passage_of(text: str) -> str:
    """Return as many of the words that a candidate came from as are shown next to it."""
    return shorten(text, _PASSAGE)
