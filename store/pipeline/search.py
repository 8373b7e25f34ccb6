"""Search: what a query finds, in memories and in what was said in sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.model import FACETS, FacetKind, SearchResult

if TYPE_CHECKING:
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.session_search import SessionSearch
    from store.search.highlight import Marks
    from store.search.query import Query


class Search:
    """What a query finds. Changes nothing."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, sessions: SessionSearch) -> None:
        self._opened = opened
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._current = index
        self._sessions = sessions

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
            found = self._current.ask(
                lambda searcher: self._current.reader(searcher).search(
                    parsed,
                    self._clock(),
                    timedelta(days=self._opened.settings.stale_archive_after_days),
                    limit=limit,
                    offset=offset,
                    facets=facets,
                    freshness=self._current.index.notice,
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
            return self._sessions.search(query, limit, offset, facets, fresh=fresh)
        pages = [
            self.search(f"{query.text} in:memories", offset + limit, 0, facets=facets, fresh=fresh),
            self._sessions.search(query, offset + limit, 0, facets, fresh=fresh),
        ]
        return together(query, pages, limit, offset)

    def parse(self, query: str) -> Query:
        """A query taken apart, for colouring it and saying what is understood."""
        from store.search.query import parse_query

        return parse_query(query, self._clock())

    def marks(self, text: str, query: str, near: Sequence[tuple[str, str]] = ()) -> Marks:
        """Where the words of a query stand in a text: character ranges."""
        from store.search.highlight import marks, wanted

        return marks(text, wanted(self.parse(query), near))

    def found_ids(self, query: str) -> list[str]:
        """The ids of all that a query finds exactly, in its order.

        Raises `InvalidQuery` where it is not understood in full: what is found is to be changed or
        exported, not looked at.
        """
        from store.search.query import check_understood

        parsed, now = self.parse(query), self._clock()
        check_understood(parsed)
        stale = timedelta(days=self._opened.settings.stale_archive_after_days)
        return self._current.ask(
            lambda searcher: self._current.reader(searcher).ids(parsed, now, stale),
            recount=parsed.looks_at_use,
        )
