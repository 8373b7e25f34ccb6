"""Candidates for a recall from earlier sessions: messages, sessions, and the files they touched."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from tantivy import Occur, Order, Query, Schema, Searcher

from store.model import Observation
from store.recall.files import named_in
from store.recall.request import RecallRequest
from store.recall.touched import SessionFiles
from store.recall.values import Candidate, Kind
from store.search.documents import Key, key_of, observation_of
from store.search.endings import Endings
from store.search.names import naming
from store.search.relevance import NOTHING_RELEVANT, Relevance, Relevant, relevant
from store.sessions.documents import CHANGED, READ, REMOVED, session_key_of

_MESSAGES, _SESSIONS = 40, 3
"""How many messages and sessions are looked at for one recall: with 25 messages `tests.bench.sde`
said as much of what it was set by, and 5 points less of others."""
_NEWEST = 3
"""How many of the last sessions are looked at, and of the last ones on the branch."""
_NAMING = 2
"""How many messages are taken that have a name which the task has: with 8 the same was told."""
_AROUND = 8
"""The hits in whose sessions neighbours count: with none `tests.bench.sde` said
2 to 4 points less."""
_REMEMBERED = 5_000
"""How many observations are kept as they were read."""


class SessionCandidates:
    """Candidates from one state of the index of sessions. Reads nothing but the index."""

    def __init__(
        self,
        messages: Searcher,
        sessions: Searcher,
        schema: Schema,
    ) -> None:
        self._messages = messages
        self._sessions = sessions
        self._schema = schema
        self._endings = Endings(messages), Endings(sessions)
        self._read: dict[tuple[Kind, Key], Observation] = {}
        self._last: dict[Kind, tuple[str, Relevance]] = {}

    def are_of(self, messages: Searcher, sessions: Searcher) -> bool:
        """The candidates are of this state of the index."""
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
        """The last sessions on the branch, and of all; of the issue asked for, of any where none
        is.
        """
        of_issue = Query.all_query()
        if request.issue is not None:
            of_issue = Query.term_query(self._schema, "issue", request.issue, "basic")
        on_branch = Query.term_query(self._schema, "tag", request.branch, "basic")
        found: dict[Key, Relevant] = {}
        for query in (on_branch, Query.all_query()):
            both = Query.boolean_query([(Occur.Must, query), (Occur.Must, of_issue)])
            hits = self._sessions.search(
                both, _NEWEST, count=False, order_by_field="time", order=Order.Desc
            ).hits
            for _, address in hits:
                found.setdefault(key_of(address), Relevant(address, key_of(address), 0.0))
        candidates = self._candidates(self._sessions, found.values(), Kind.SESSION)
        return [
            candidate
            for candidate in candidates
            if candidate.observation.session_id != request.session_id
        ]

    @property
    def number(self) -> int:
        """Number of messages."""
        return self._messages.num_docs

    def having(self, stem: str) -> int:
        """In how many messages a word stands, by its stem."""
        return self._messages.doc_freq("stems", stem)

    def files(self, sessions: Collection[str]) -> list[SessionFiles]:
        """The files of these sessions, as their digests name them."""
        if not sessions:
            return []
        keys = sorted(map(session_key_of, sessions))
        query = Query.boolean_query(
            [(Occur.Should, Query.term_query(self._schema, "session", key)) for key in keys]
        )
        hits = self._sessions.search(query, len(keys), count=False).hits
        return [_files_of(observation_of(self._sessions.doc(address))) for _, address in hits]

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


def _files_of(digest: Observation) -> SessionFiles:
    changed, read = digest.extra.get(CHANGED) or {}, digest.extra.get(READ) or {}
    removed = frozenset(digest.extra.get(REMOVED) or ())
    return SessionFiles(digest.session_id, digest.timestamp, changed, read, removed)
