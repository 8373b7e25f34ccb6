"""What earlier sessions offer for a recall: messages, sessions, and the files they touched."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tantivy import Order, Query, Schema, Searcher

from store.model import Observation
from store.recall.files import named_in
from store.recall.request import RecallRequest
from store.recall.session_files import FilesOfSessions
from store.recall.values import Candidate, Kind
from store.search.documents import Key, key_of, observation_of
from store.search.endings import Endings
from store.search.names import naming
from store.search.relevance import NOTHING_RELEVANT, Relevance, Relevant, relevant
from store.sessions.documents import session_key_of

_MESSAGES, _SESSIONS = 40, 3
"""How many messages and sessions are looked at for one recall: with 25 messages `tests.bench.sde`
said as much of what it was set by, and 5 points less of others."""
_NEWEST = 12
"""How many of the last sessions are looked at for the last one of a branch."""
_NAMING = 2
"""How many messages are taken that have a name which the task has: with 8 the same was told."""
_AROUND = 8
"""The hits in whose sessions neighbours count: with none `tests.bench.sde` said
2 to 4 points less."""
_REMEMBERED = 5_000
"""How many observations are kept as they were read."""
_BETTER = 0.7
"""What the greater of two likenesses counts, of the digest and of what was said; the smaller counts
the rest. Of a session that has no messages any more only the digest is known."""


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
        self._endings = Endings(messages), Endings(sessions)
        self._read: dict[tuple[Kind, Key], Observation] = {}
        self._last: dict[Kind, tuple[str, Relevance]] = {}

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
        said = {hit.key: hit for hit in self._alike(Kind.MESSAGE, text).best}
        for address in naming(self._messages, self._schema, named_in(text), each=_NAMING):
            key = key_of(address)
            said.setdefault(key, Relevant(address, key, 0.0))
        found = [
            *self._candidates(self._messages, said.values(), Kind.MESSAGE),
            *self._candidates(self._sessions, self._alike(Kind.SESSION, text).best, Kind.SESSION),
        ]
        return [it for it in found if it.observation.session_id != request.session_id]

    def newest(self, request: RecallRequest) -> list[Candidate]:
        """The last sessions of the issue asked for, of any where none is."""
        query = Query.all_query()
        if request.issue is not None:
            query = Query.term_query(self._schema, "issue", request.issue, "basic")
        hits = self._sessions.search(
            query, _NEWEST, count=False, order_by_field="time", order=Order.Desc
        ).hits
        relevant = [Relevant(address, key_of(address), 0.0) for _, address in hits]
        found = self._candidates(self._sessions, relevant, Kind.SESSION)
        return [it for it in found if it.observation.session_id != request.session_id]

    @property
    def number(self) -> int:
        """How many messages there are."""
        return self._messages.num_docs

    def having(self, stem: str) -> int:
        """In how many messages a word stands, by its stem."""
        return self._messages.doc_freq("stems", stem)

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
        digests = self._alike(Kind.SESSION, request.text).of_sessions()
        said = self._alike(Kind.MESSAGE, request.text).of_sessions()
        found, less = {}, 1 - _BETTER
        for key in ids.keys() & (digests.keys() | said.keys()):
            one, other = digests.get(key, 0.0), said.get(key, 0.0)
            better = _BETTER * other + less * one if one < other else _BETTER * one + less * other
            found[ids[key]] = better
        found.pop(request.session_id, None)
        best = max(found.values(), default=1.0)
        return {session: likeness / best for session, likeness in found.items()}

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""
        messages, sessions = self._endings
        return (messages if "#" in observation.id else sessions).of(observation.id)

    def _alike(self, kind: Kind, text: str) -> Relevance:
        """The sessions or messages by how relevant they are; the last answer of each is kept."""
        known, found = self._last.get(kind, ("", NOTHING_RELEVANT))
        if known != text:
            searcher, most, around = {
                Kind.SESSION: (self._sessions, _SESSIONS, 0),
                Kind.MESSAGE: (self._messages, _MESSAGES, _AROUND),
            }[kind]
            found = relevant(searcher, self._schema, text, most=most, around=around)
            self._last[kind] = text, found
        return found

    def _candidates(
        self, searcher: Searcher, hits: Iterable[Relevant], kind: Kind
    ) -> list[Candidate]:
        return [
            Candidate(
                self._observation(searcher, hit, kind),
                {"relevance": hit.score, "bm25": hit.own},
                kind,
            )
            for hit in hits
        ]

    def _observation(self, searcher: Searcher, hit: Relevant, kind: Kind) -> Observation:
        """The message or session of a hit; one read before is not read again."""
        known = self._read.get((kind, hit.key))
        if known is None:
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            known = self._read[kind, hit.key] = observation_of(searcher.doc(hit.address))
        return known
