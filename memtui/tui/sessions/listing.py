"""The sessions of a project as far as they are known: found at once, then read one by one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memtui.formatting import count
from store import Memory
from store.agents.client import Home, SessionFile
from store.errors import Unreadable
from store.model import SearchResult
from store.sessions.documents import ended
from store.sessions.listing import Listed
from store.sessions.model import SessionDigest
from store.text.display import visible

PAGE = 100
"""Sessions, or messages found, that are listed at a time."""
FileState = tuple[str, int, float]


class HitsFound(NamedTuple):
    result: SearchResult
    around: Mapping[str, tuple[str, str]]


def home() -> Home:
    return Home(Path.home(), os.environ)


def state_of(file: SessionFile) -> FileState:
    """State of a session file, which differs once it changes."""
    return str(file.path), file.size, file.modified.timestamp()


def digest_of(memory: Memory, file: SessionFile) -> SessionDigest | None:
    with suppress(Unreadable):  # the row says that it can't be read
        return memory.sessions.read_digest(file)
    return None


def find_messages(memory: Memory, query: str) -> HitsFound:
    """Find the messages of sessions that a query names, and what was said around them."""
    result = memory.search(
        f"{query} in:sessions", PAGE, facets=("agent", "issue", "tag"), fresh=False
    )
    return HitsFound(result, memory.sessions.around(result.hits))


_MOST_FACETS = 4


class Listing:
    """Sessions that were found, and digests of the files that are not indexed."""

    def __init__(self) -> None:
        self.found: Sequence[Listed] = ()
        self.known: dict[FileState, SessionDigest | None] = {}

    @property
    def waiting(self) -> list[SessionFile]:
        return [row.file for row in self.found if row.file is not None]

    @property
    def unreadable(self) -> set[SessionFile]:
        return {file for file in self.waiting if self.known.get(state_of(file), ...) is None}

    def sessions(self) -> list[Listed]:
        """All sessions, with what was read of their files; without those in which nothing is."""
        rows = []
        for row in self.found:
            if row.file is not None and state_of(row.file) in self.known:
                digest = self.known[state_of(row.file)]
                if digest is not None:
                    row = row._replace(digest=digest, at=ended(digest))
            if row.digest is None or row.digest.messages or row.digest.asked:
                rows.append(row)
        return rows


def counted(rows: Iterable[Listed]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    digests = [row.digest for row in rows if row.digest]
    return (
        Counter(digest.agent for digest in digests),
        Counter(digest.branch for digest in digests),
        Counter(f"#{digest.issue}" for digest in digests if digest.issue),
    )


def facets_line(counts: Iterable[Mapping[str, int]]) -> str:
    """Counts in one line: the largest of each group, and how many more there are."""
    groups = []
    for group in counts:
        most = Counter({name: n for name, n in group.items() if name}).most_common()
        shown = [f"{name} {count(number)}" for name, number in most[:_MOST_FACETS]]
        more = [f"+{len(most) - _MOST_FACETS}"] if len(most) > _MOST_FACETS else []
        groups.append("  ".join([*shown, *more]))
    return "   ·   ".join(visible(group, newlines=False) for group in groups if group)


def known_values(rows: Iterable[Listed]) -> dict[str, list[str]]:
    """Values that the search box can complete: agents, branches and issues."""
    digests = [row.digest for row in rows if row.digest]
    return {
        "agent": sorted({digest.agent for digest in digests if digest.agent}),
        "branch": sorted({digest.branch for digest in digests if digest.branch}),
        "issue": [
            str(digest) for digest in sorted({digest.issue for digest in digests if digest.issue})
        ],
    }
