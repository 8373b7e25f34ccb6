"""Search in the memories: what a query finds, and single observations by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.errors import StoreError
from store.model import Observation, SearchResult
from store.opened_store import OpenedStore
from store.search.fields import FACETS

if TYPE_CHECKING:
    from store.search.query import Query


class Search:
    """Queries and look-ups by id among the memories. Changes nothing."""

    def __init__(self, store: OpenedStore) -> None:
        self._store = store
        self._index = store.index

    def search(
        self,
        query: Query | str,
        limit: int,
        offset: int = 0,
        *,
        facets: tuple[str, ...] = FACETS,
        fresh: bool = True,
    ) -> SearchResult:
        """One page of the memories that a query finds, and facets of all of them."""
        parsed, started = (
            self.parse(query) if isinstance(query, str) else query,
            self._store.clock(),
        )
        try:
            found = self._index.ask(
                lambda searcher: self._index.reader(searcher).search(
                    parsed,
                    self._store.clock(),
                    self._store.stale_after,
                    limit=limit,
                    offset=offset,
                    facets=facets,
                    freshness=self._index.notice,
                ),
                fresh=fresh,
                recount=parsed.needs_recall_counts,
            )
        except StoreError as error:
            self._store.recorder.searched(started, error.message)
            raise
        if limit:
            self._store.recorder.searched(started)
        return found

    def parse(self, query: str) -> Query:
        """Return a query taken apart, by the clock of this memory and in the user's zone."""
        from store.search.query import parse_query  # a recall has no query

        return parse_query(query, self._store.clock().astimezone())

    def ids(self, query: str) -> list[str]:
        """Return the ids of all that a query finds exactly, in its order. Raises `InvalidQuery`."""
        from store.search.query import check_understood  # a recall has no query

        parsed, now = self.parse(query), self._store.clock()
        check_understood(parsed)
        return self._index.ask(
            lambda searcher: self._index.reader(searcher).ids(parsed, now, self._store.stale_after),
            recount=parsed.needs_recall_counts,
        )

    def get(self, identifier: str, *, fresh: bool = True) -> Observation:
        """Return the memory with this id, or the only one whose id ends so.

        Raises `NotFound`, `AmbiguousId`.
        """
        return self._index.ask(
            lambda searcher: self._index.reader(searcher).get(identifier), fresh=fresh
        )

    def of_moment(self, millis: str) -> list[str]:
        """The ids of the observations that name these milliseconds, as a vault's entries do."""
        return self._index.ask(
            lambda searcher: self._index.reader(searcher).of_moment(millis), fresh=False
        )
