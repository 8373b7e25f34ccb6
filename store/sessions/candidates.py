"""Candidates for a recall from earlier sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tantivy import Occur, Order, Query, Schema, Searcher

from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Kind
from store.search.documents import Endings, Key, key_of, observation_of
from store.search.relevance import NOTHING_RELEVANT, Relevance, Relevant, relevant

_SESSIONS = 3
"""How many sessions are looked at for one recall."""
_NEWEST = 3
"""How many of the last sessions are looked at, and of the last ones on the branch."""
_REMEMBERED = 5_000
"""How many observations are kept as they were read."""


class SessionCandidates:
    """Candidates from one state of the index of sessions. Reads nothing but the index."""

    def __init__(self, messages: Searcher, sessions: Searcher, schema: Schema) -> None:
        self._messages = messages
        self._sessions = sessions
        self._schema = schema
        self._endings = Endings(sessions)
        self._read: dict[Key, Observation] = {}
        self._last: tuple[str, Relevance] = "", NOTHING_RELEVANT

    def are_of(self, messages: Searcher, sessions: Searcher) -> bool:
        """Return whether the candidates are of this state of the index."""
        return self._messages is messages and self._sessions is sessions

    def candidates(self, request: RecallRequest) -> list[Candidate]:
        """Return the sessions that the request's words bring up; none without words.

        The signals are those of memories. The last answer is kept.
        """
        return self._without_own(self._relevant(request.text), request)

    def newest(self, request: RecallRequest) -> list[Candidate]:
        """Return the last sessions on the branch, and of all; of the issue asked for, of any where
        none is.
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
        return self._without_own(found.values(), request)

    @property
    def messages(self) -> int:
        return self._messages.num_docs

    def having(self, stem: str) -> int:
        """Return the number of messages with a word, by its stem."""
        return self._messages.doc_freq("stems", stem)

    def handle(self, observation: Observation) -> str:
        """Return the shortest ending of a session's id that no other has."""
        return self._endings.of(observation.id)

    def _relevant(self, text: str) -> Sequence[Relevant]:
        if not text.strip():
            return ()
        if self._last[0] != text:
            found = relevant(self._sessions, self._schema, text, most=_SESSIONS, around=0)
            self._last = text, found
        return self._last[1].best

    def _without_own(self, hits: Iterable[Relevant], request: RecallRequest) -> list[Candidate]:
        signals = ((self._observation(hit), hit) for hit in hits)
        return [
            Candidate(session, {"relevance": hit.score, "bm25": hit.own}, Kind.SESSION)
            for session, hit in signals
            if session.session_id != request.session_id
        ]

    def _observation(self, hit: Relevant) -> Observation:
        """Return the session of a hit; one read before is not read again."""
        known = self._read.get(hit.key)
        if known is None:
            if len(self._read) >= _REMEMBERED:
                self._read.clear()
            known = self._read[hit.key] = observation_of(self._sessions.doc(hit.address))
        return known
