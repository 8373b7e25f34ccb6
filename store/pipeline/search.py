"""Searching and reading: nothing here changes anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import NotFound, StoreError
from store.model import FACETS, FacetKind, Hit, Observation, SearchResult, StoreStats, check_issue
from store.pipeline.conversations import Conversations

if TYPE_CHECKING:
    from store.activity import ActivityLog
    from store.model import Problem
    from store.search.highlight import Marks
    from store.search.query import Query


@dataclass(frozen=True, slots=True)
class StoreState:
    """What a screen says of the store: where, whether writable, how much, and what is wrong.

    `total` and `tokens` count the records in issue files, archived flag or not; `notice` says
    where the index may lag.
    """

    path: Path
    writable: bool
    total: int
    tokens: int
    problems: tuple[Problem, ...] = ()
    notice: str = ""


class Reading(Conversations):
    """Search, single observations, totals."""

    def search(
        self,
        query: str = "",
        limit: int = 50,
        offset: int = 0,
        *,
        facets: tuple[FacetKind, ...] = FACETS,
        fresh: bool = True,
    ) -> SearchResult:
        """One page of what a query finds, and facets of all of it. Never fails for the query.

        With `fresh=False` the files are not looked at first: for each key typed, where
        `refresh` runs beside it. A `limit` of 0 asks for the facets of rows that another search
        gives, so it is not counted as one.
        """
        parsed, started = self.parse(query), self._clock()
        if parsed.place != "memories":
            return self._search_elsewhere(parsed, limit, offset, facets, fresh=fresh)
        try:
            found = self._ask(
                lambda searcher: self._answers(searcher).search(
                    parsed,
                    self._clock(),
                    timedelta(days=self.settings.stale_archive_after_days),
                    limit=limit,
                    offset=offset,
                    facets=facets,
                    notice=self._index.notice,
                ),
                fresh=fresh,
                recount=parsed.looks_at_use,
            )
        except StoreError as error:
            self._recorder.searched(started, error.message)
            raise
        if limit:
            self._recorder.searched(started)
        return found

    def _search_elsewhere(
        self,
        query: Query,
        limit: int,
        offset: int,
        facets: tuple[FacetKind, ...],
        *,
        fresh: bool,
    ) -> SearchResult:
        """One page of what a query finds in sessions, or in both."""
        from store.sessions.search import together

        if query.place == "sessions":
            return self.search_sessions(query, limit, offset, facets, fresh=fresh)
        pages = [
            self.search(f"{query.text} in:memories", offset + limit, 0, facets=facets, fresh=fresh),
            self.search_sessions(query, offset + limit, 0, facets, fresh=fresh),
        ]
        return together(query, pages, limit, offset)

    def parse(self, query: str) -> Query:
        """A query taken apart, for colouring it and saying what was understood."""
        from store.search.query import parse_query

        return parse_query(query, self._clock())

    def marks(self, text: str, query: str, near: Sequence[tuple[str, str]] = ()) -> Marks:
        """Where the words of a query stand in a text: character ranges."""
        from store.search.highlight import marks, wanted

        return marks(text, wanted(self.parse(query), near))

    def get(self, identifier: str, *, fresh: bool = True) -> Observation:
        """The observation with this id, or the only one whose id ends so; else such a message.

        Raises `NotFound`, `AmbiguousId`.
        """
        try:
            return self._ask(lambda searcher: self._answers(searcher).get(identifier), fresh=fresh)
        except NotFound:
            message = self.message(identifier)
            if message is None:
                raise
            return message

    def tell(self, identifier: str, *, fresh: bool = True) -> Observation:
        """As `get`, without what no agent may be told: private blocks and secrets of others."""
        told = self._outgoing.clean(self.get(identifier, fresh=fresh))
        self._outgoing.save()
        return told

    def tell_hits(self, hits: Sequence[Hit]) -> list[Hit]:
        """Rows of a search as an agent may be told them: of what is cleaned, only the summary."""
        told = []
        for hit in hits:
            observation = self.get(hit.entry.id, fresh=False)
            clean = self._outgoing.clean(observation)
            if clean is not observation:
                entry = hit.entry._replace(summary=clean.summary, tags=clean.tags)
                hit = Hit(entry, hit.score)
            told.append(hit)
        self._outgoing.save()
        return told

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file. Raises `InvalidObservation`."""
        return self.backend.read(check_issue(issue)).observations()

    def found_ids(self, query: str) -> list[str]:
        """The ids of all that a query finds exactly, in its order.

        Raises `InvalidQuery` where it is not understood in full: what is found is to be changed or
        exported, not looked at.
        """
        from store.search.query import check_understood

        parsed, now = self.parse(query), self._clock()
        check_understood(parsed)
        stale = timedelta(days=self.settings.stale_archive_after_days)
        return self._ask(
            lambda searcher: self._answers(searcher).ids(parsed, now, stale),
            recount=parsed.looks_at_use,
        )

    def activity(self, limit: int = 500, known: ActivityLog | None = None) -> ActivityLog:
        """What happened to memory, newest first, and how capture is doing. Raises `Unreadable`.

        Where nothing happened since `known` was read, it is the answer.
        """
        from store.activity import read_log

        return read_log(self.backend, limit, known)

    def stats(self) -> StoreStats:
        """Totals over the records in issue files, archived flag or not."""
        from store.search.totals import index_stats

        size = self.backend.size()
        return self._ask(lambda searcher: index_stats(searcher, self._index.schema, size))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last looked at."""
        return self._index.problems

    def state(self) -> StoreState:
        """What a screen says of the store, without looking at the files again."""
        from store.search.totals import held

        total, tokens = self._ask(lambda searcher: held(searcher, self._index.schema), fresh=False)
        return StoreState(
            path=self.path,
            writable=self.backend.is_writable(),
            total=total,
            tokens=tokens,
            problems=self._index.problems,
            notice=self._index.notice,
        )
