"""The sessions of a project as far as they are known: found at once, then read one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memtui.formatting import count
from memtui.tui.sessions.requests import FileState, state_of
from store.sessions.documents import ended
from store.sessions.listing import Listed
from store.text.display import visible

if TYPE_CHECKING:
    from store.agents.client import SessionFile
    from store.sessions.model import SessionDigest

_MOST_FACETS = 4


class Listing:
    """What was found, and what was read of the files that are not indexed."""

    def __init__(self) -> None:
        self.found: Sequence[Listed] = ()
        self.known: dict[FileState, SessionDigest | None] = {}

    @property
    def waiting(self) -> list[SessionFile]:
        return [row.file for row in self.found if row.file is not None]

    @property
    def unreadable(self) -> set[SessionFile]:
        return {it for it in self.waiting if self.known.get(state_of(it), ...) is None}

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
    """How many sessions are of each agent, branch and issue."""
    digests = [row.digest for row in rows if row.digest]
    return (
        Counter(it.agent for it in digests),
        Counter(it.branch for it in digests),
        Counter(f"#{it.issue}" for it in digests if it.issue),
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
    """What the search box can complete: the agents, branches and issues there are."""
    digests = [row.digest for row in rows if row.digest]
    return {
        "agent": sorted({it.agent for it in digests if it.agent}),
        "branch": sorted({it.branch for it in digests if it.branch}),
        "issue": [str(it) for it in sorted({it.issue for it in digests if it.issue})],
    }
