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
_REMEMBERED = 5_000
"""How many observations are kept as they were read."""
_BETTER = 0.7
"""What the greater of two likenesses counts, of the digest and of what was said; the smaller counts
the rest. Of a session that has no messages any more only the digest is known."""
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
        self._last: dict[Kind, tuple[str, list[Relevant]]] = {}

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
        said = self._alike(Kind.MESSAGE, text)[:_MESSAGES]
        known = {key_of(hit.address) for hit in said}
        named = naming(self._messages, self._schema, named_in(text), each=_NAMING)
        said += [Relevant(it, 0.0) for it in named if key_of(it) not in known]
        found = [
            *self._candidates(self._messages, said, Kind.MESSAGE),
            *self._candidates(
                self._sessions, self._alike(Kind.SESSION, text)[:_SESSIONS], Kind.SESSION
            ),
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
        """How much (0 to 1, the best being 1) each session with files is about the request: its
        digest, and what of it was said that fits best.
        """
        if not request.text.strip():
            return {}
        ids = self._ids = self._ids or {session_key_of(it): it for it in self.files().sessions}
        digests = _by_session(self._sessions, self._alike(Kind.SESSION, request.text))
        said = _by_session(self._messages, self._alike(Kind.MESSAGE, request.text))
        found = {}
        for key in ids.keys() & (digests.keys() | said.keys()):
            less, more = sorted((digests.get(key, 0.0), said.get(key, 0.0)))
            found[ids[key]] = _BETTER * more + (1 - _BETTER) * less
        found.pop(request.session_id, None)
        best = max(found.values(), default=1.0)
        return {session: likeness / best for session, likeness in found.items()}

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""
        identifier = observation.id
        known = self._handles.get(identifier)
        if known is None:
            searcher = self._messages if "#" in identifier else self._sessions
            known = self._handles[identifier] = _ending(searcher, identifier)
        return known

    def _alike(self, kind: Kind, text: str) -> list[Relevant]:
        """The sessions or messages by how relevant they are; the last answer of each is kept."""
        known, found = self._last.get(kind, ("", []))
        if known != text:
            searcher, around = {
                Kind.SESSION: (self._sessions, 0),
                Kind.MESSAGE: (self._messages, _AROUND),
            }[kind]
            found = relevant(searcher, self._schema, text, around=around)
            self._last[kind] = text, found
        return found

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


def _by_session(searcher: Searcher, hits: Sequence[Relevant]) -> dict[int, float]:
    """How relevant the best of each session's is by its own words, the best of all being 1; by the
    session's key.
    """
    hits = [hit for hit in hits if hit.own]
    best = max((hit.own for hit in hits), default=1.0)
    keys = searcher.fast_field_values("session", [hit.address for hit in hits])
    found: dict[int, float] = {}
    for key, hit in zip(keys, hits, strict=True):
        found[int(key or 0)] = max(found.get(int(key or 0), 0.0), hit.own / best)
    return found


def _ending(searcher: Searcher, identifier: str) -> str:
    reverse = backwards(identifier)
    for length in range(_SHORTEST, len(reverse)):
        ending = reverse[:length]
        if ending[-1].isalnum() and len(searcher.terms_with_prefix("id", ending, limit=2)) < 2:
            return ending[::-1]
    return identifier
