"""What earlier sessions offer for a recall: messages, sessions, and the files they touched."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from tantivy import DocAddress, Order, Query, Schema, Searcher

from store.model import Observation
from store.recall.files import named_in
from store.recall.request import RecallRequest
from store.recall.touched import FilesOfSessions
from store.recall.values import Candidate, Kind
from store.search.analyzers import backwards
from store.search.documents import Key, key_of, observation_of
from store.search.names import naming
from store.search.relevance import Relevant, relevant
from store.sessions.documents import session_key_of

_MESSAGES, _SESSIONS = 40, 3
"""How many messages and sessions are looked at for one recall: with 25 and with 80 messages the
figures of `tests.bench.sde` and `tests.bench.swe` were the same."""
_NEWEST = 12
"""How many of the last sessions are looked at for some that memories don't tell of."""
_NAMING = 2
"""How many messages are taken that have a name which the task has: with 8 the same was told."""
_AROUND = 8
"""The hits in whose sessions neighbours count: passages are long, with 40 and with none
`tests.bench.sde` said as much to a point."""
_UNLIKE, _REMEMBERED = 0.2, 5_000
"""The likeness below which a session is left out, and how many observations are kept as read."""
_SHORTEST = 3


class SessionCandidates:
    """What one state of the index of sessions offers. Reads nothing but the index."""

    def __init__(
        self,
        messages: Searcher,
        sessions: Searcher,
        schema: Schema,
        known_files: Callable[[], FilesOfSessions],
    ) -> None:
        self._messages = messages
        self._sessions = sessions
        self._schema = schema
        self._known_files = known_files
        self._files: FilesOfSessions | None = None
        self._ids: dict[int, str] = {}
        self._handles: dict[str, str] = {}
        self._read: dict[tuple[Kind, Key], Observation] = {}
        self._last: tuple[str, list[Relevant]] = ("", [])

    def are_of(self, messages: Searcher, sessions: Searcher) -> bool:
        """Whether they are what this state offers."""
        return self._messages is messages and self._sessions is sessions

    def candidates(self, request: RecallRequest) -> list[Candidate]:
        """The messages and sessions that the request's words bring up; none without words.

        The signals are those of memories: `relevance` is BM25 with neighbours, `bm25` that of a
        message's own words, the best being 1.
        """
        text = request.text
        if not text.strip():
            return []
        said = relevant(self._messages, self._schema, text, most=_MESSAGES, around=_AROUND)
        known = {key_of(hit.address) for hit in said}
        named = naming(self._messages, self._schema, named_in(text), each=_NAMING)
        said += [Relevant(it, 0.0) for it in named if key_of(it) not in known]
        found = [
            *self._candidates(self._messages, said, Kind.MESSAGE),
            *self._candidates(self._sessions, self._alike(text)[:_SESSIONS], Kind.SESSION),
        ]
        return [it for it in found if it.observation.session_id != request.session_id]

    def newest(self, request: RecallRequest, besides: Container[str]) -> list[Candidate]:
        """The last sessions of the issue asked for, of any where none is, without those named."""
        query = Query.all_query()
        if request.issue is not None:
            query = Query.term_query(self._schema, "issue", request.issue, "basic")
        hits = self._sessions.search(
            query, _NEWEST, count=False, order_by_field="time", order=Order.Desc
        ).hits
        relevant = [Relevant(address, 0.0) for _, address in hits]
        found = self._candidates(self._sessions, relevant, Kind.SESSION)
        others = [it for it in found if it.observation.session_id not in besides]
        return [it for it in others if it.observation.session_id != request.session_id][:_SESSIONS]

    def files(self) -> FilesOfSessions:
        """The files of the newest sessions."""
        if self._files is None:
            self._files = self._known_files()
        return self._files

    def likeness(self, request: RecallRequest) -> dict[str, float]:
        """How much (0 to 1, the best being 1) each session with files is about the request."""
        if not request.text.strip():
            return {}
        hits = self._alike(request.text)
        best = max((hit.own for hit in hits), default=0.0) or 1.0
        alike = [hit for hit in hits if hit.own > best * _UNLIKE]
        ids = self._ids = self._ids or {session_key_of(it): it for it in self.files().sessions}
        keys = self._sessions.fast_field_values("session", [hit.address for hit in alike])
        found = {
            session: hit.own / best
            for key, hit in zip(keys, alike, strict=True)
            if (session := ids.get(int(key or 0))) is not None
        }
        found.pop(request.session_id, None)
        return found

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""
        identifier = observation.id
        known = self._handles.get(identifier)
        if known is None:
            searcher = self._messages if "#" in identifier else self._sessions
            known = self._handles[identifier] = _ending(searcher, identifier)
        return known

    def _alike(self, text: str) -> list[Relevant]:
        """The sessions by how relevant their digests are; the last answer is kept."""
        if self._last[0] != text:
            self._last = text, relevant(self._sessions, self._schema, text, around=0)
        return self._last[1]

    def _candidates(
        self, searcher: Searcher, hits: Sequence[Relevant], kind: Kind
    ) -> list[Candidate]:
        return [
            Candidate(
                self._observation(searcher, hit.address, kind),
                {"relevance": hit.score, "bm25": hit.own},
                kind,
            )
            for hit in hits
        ]

    def _observation(self, searcher: Searcher, address: DocAddress, kind: Kind) -> Observation:
        """The message or session at a place; one read before is not read again."""
        key = kind, key_of(address)
        known = self._read.get(key)
        if known is None:
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            known = self._read[key] = observation_of(searcher.doc(address))
        return known


def _ending(searcher: Searcher, identifier: str) -> str:
    reverse = backwards(identifier)
    for length in range(_SHORTEST, len(reverse)):
        ending = reverse[:length]
        if ending[-1].isalnum() and len(searcher.terms_with_prefix("id", ending, limit=2)) < 2:
            return ending[::-1]
    return identifier
