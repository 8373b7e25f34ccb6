"""What sessions did with what they were given, in the cache: derived from their transcripts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from store.errors import StoreError
from store.model import UNDATED
from store.platform.cached import Cached, cached_file, checked, with_checksum
from store.usage.values import Counts, Evidence, Kind, Outcome, counts_of

_VERSION = 1
_MOST_SESSIONS = 5_000
"""Sessions that are kept, the last of them."""


class ReadSession(NamedTuple):
    """A session that was read: when it was given something last, a stamp that changes with its file
    or when it is given more, and what it did with each memory, by id.
    """

    at: datetime
    stamp: tuple[int, ...]
    outcomes: Mapping[str, Outcome]


UNREAD = ReadSession(UNDATED, (), {})


class KeptSessions:
    def __init__(self, sessions: Mapping[str, ReadSession]) -> None:
        self.sessions = sessions

    @cached_property
    def counts(self) -> Mapping[str, Counts]:
        """The counts of each memory that was given, by its id."""
        return self._summed(lambda identifier, outcome: identifier)

    @cached_property
    def by_category(self) -> Mapping[str, Counts]:
        """The sums of the counts of memories by category, the most given first."""
        found = self._summed(lambda identifier, outcome: outcome.category)
        return dict(sorted(found.items(), key=lambda item: (-item[1].told, item[0])))

    def _summed(self, key: Callable[[str, Outcome], str]) -> dict[str, Counts]:
        found: dict[str, Counts] = {}
        for session in self.sessions.values():
            for identifier, outcome in session.outcomes.items():
                of = key(identifier, outcome)
                found[of] = found.get(of, Counts()) + counts_of(outcome)
        return found

    def of_session(self, session_id: str) -> Counts:
        """Return how many memories a session was given and used."""
        session = self.sessions.get(session_id)
        return sum(map(counts_of, session.outcomes.values()), Counts()) if session else Counts()

    def last_use(self, identifier: str) -> tuple[Evidence, ...]:
        """Return how the last session that used a memory did."""
        of = [
            (session.at, outcome.evidence)
            for session in self.sessions.values()
            if (outcome := session.outcomes.get(identifier)) is not None and outcome.is_used
        ]
        return max(of, key=lambda pair: pair[0], default=(UNDATED, ()))[1]

    def ids(self, verdict: str) -> Sequence[str]:
        return [each for each, counts in self.counts.items() if counts.verdict == verdict]


NOTHING = KeptSessions({})


class KeptUsage(Cached[KeptSessions]):
    """The sessions read of one memory, in the cache."""

    def __init__(self, cache: Path, memory: Path) -> None:
        super().__init__(cached_file(cache, memory, "usage"), _read, NOTHING)

    def keep(self, sessions: Mapping[str, ReadSession]) -> None:
        """Keep the last of these."""
        last = sorted(sessions.items(), key=lambda item: item[1].at)[-_MOST_SESSIONS:]
        data = orjson.dumps({"version": _VERSION, "sessions": dict(map(_record, last))})
        self.save(with_checksum(data))

    def forget(self, identifiers: Collection[str]) -> None:
        """Keep nothing more of these memories. Raises `StoreError` where what is kept stays."""
        kept = self.load().sessions
        try:
            self._place.unlink(missing_ok=True)  # a damaged file, too
        except OSError as error:
            reason = f"{self._place} can't be removed: {error.strerror}."
            raise StoreError(reason) from error
        if kept:
            self.keep({name: _without(session, identifiers) for name, session in kept.items()})


def _without(session: ReadSession, identifiers: Collection[str]) -> ReadSession:
    left = {key: one for key, one in session.outcomes.items() if key not in identifiers}
    return session._replace(outcomes=left)


def _record(item: tuple[str, ReadSession]) -> tuple[str, list[Any]]:
    session_id, session = item
    outcomes = {
        identifier: [outcome.category, [list(each) for each in outcome.evidence], outcome.touched]
        for identifier, outcome in session.outcomes.items()
    }
    return session_id, [session.at, list(session.stamp), outcomes]


def _read(data: bytes) -> KeptSessions:
    record, sessions = orjson.loads(checked(data)), dict[str, ReadSession]()
    if record["version"] != _VERSION:
        raise ValueError("of another version")
    for session_id, (at, stamp, entries) in record["sessions"].items():
        outcomes = {
            identifier: Outcome(
                category,
                tuple(Evidence(Kind(kind), what, failed) for kind, what, failed in evidence),
                touched,
            )
            for identifier, (category, evidence, touched) in entries.items()
        }
        sessions[session_id] = ReadSession(datetime.fromisoformat(at), tuple(stamp), outcomes)
    return KeptSessions(sessions)
