"""Search in conversations: the messages of sessions as they are indexed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from store.backends.protocol import Backend
from store.backends.text_kinds import TextKind
from store.errors import AmbiguousId, NotFound, Unreadable
from store.model import Facets, Observation, SearchResult
from store.opened_store import OpenedStore
from store.platform.lazy_property import lazy_property
from store.search.fields import FACETS
from store.search.folder import SEEN, index_name

if TYPE_CHECKING:
    from store.search.query import Query
    from store.sessions.index import SessionIndex
    from store.sessions.model import SessionDigest


def index_folder(backend: Backend, cache: Path | None) -> Path | None:
    """Return the folder of a memory's index of sessions; None where none can be kept."""
    return None if cache is None else cache / f"{index_name(backend.identity)}-sessions"


class SessionSearch:
    """Finds and reads messages. Reads no session file, and changes nothing.

    What it asks the index with is imported when it is asked: every command has one, few ask.
    """

    def __init__(self, store: OpenedStore) -> None:
        self._store = store

    @lazy_property
    def index(self) -> SessionIndex:
        """The index of sessions, loaded where it is asked for."""
        from store.sessions.index import SessionIndex  # few commands ask

        return SessionIndex(self._store.backend, self._folder, self._store.index.outgoing)

    @property
    def has_sessions(self) -> bool:
        """There are sessions, kept or indexed; without any their index is not loaded."""
        if "index" in vars(self) and self.index.is_open:
            return True
        if self._folder is not None and (self._folder / SEEN).exists():
            return True
        try:
            return bool(self._store.backend.texts.names(TextKind.SESSIONS))
        except Unreadable:  # none that can be read: there are no digests
            return False

    @lazy_property
    def _folder(self) -> Path | None:
        """Folder of the index of sessions, made or not: asked at every recall, so kept."""
        return index_folder(self._store.backend, self._store.cache)

    def rebuild(self, is_settled: Callable[[SessionDigest], bool] = lambda _: True) -> None:
        """Build the index anew, as `SessionIndex.rebuild` does, where there are sessions."""
        if self.has_sessions:
            self.index.rebuild(is_settled)

    def search(
        self,
        query: Query,
        limit: int,
        offset: int = 0,
        facets: tuple[str, ...] = FACETS,
        *,
        fresh: bool = True,
    ) -> SearchResult:
        """One page of the messages that a query finds, and facets of all of them.

        A hit's category is `request` or `answer`, its tag the branch. `file:` finds in the sessions
        that changed or read the file, `project:` in those of the project.
        """
        from store.search.reader import IndexReader  # few commands ask
        from store.sessions.path_filter import in_sessions_with_paths

        index = self.index
        if fresh:
            index.catch_up()

        def answer() -> SearchResult:
            return IndexReader(index.messages, index.schema).search(
                in_sessions_with_paths(query, index.sessions),
                self._store.clock(),
                self._store.stale_after,
                limit=limit,
                offset=offset,
                facets=facets,
            )

        return index.ask(answer, SearchResult(query.text, 0, (), Facets()))

    def message(self, identifier: str) -> Observation | None:
        """The message or session with this id, or the only one whose id ends so; None for none."""
        from store.search.reader import IndexReader  # few commands ask

        index = self.index

        def answer() -> Observation | None:
            for searcher in (index.messages, index.sessions):
                try:
                    return IndexReader(searcher, index.schema).get(identifier)
                except (NotFound, AmbiguousId):
                    continue
            return None

        return index.ask(answer, None)
