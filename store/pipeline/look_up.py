"""Single observations: read by their id or their issue, whole or as an agent may be told them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.errors import NotFound
from store.model import Hit, Observation, check_issue

if TYPE_CHECKING:
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.session_search import SessionSearch


class LookUp:
    """Reads observations. Changes nothing."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, sessions: SessionSearch) -> None:
        self._backend = opened.backend
        self._current = index
        self._sessions = sessions

    def get(self, identifier: str, *, fresh: bool = True) -> Observation:
        """The observation with this id, or the only one whose id ends so; else such a message.

        Raises `NotFound`, `AmbiguousId`.
        """
        try:
            return self._current.ask(
                lambda searcher: self._current.answers(searcher).get(identifier), fresh=fresh
            )
        except NotFound:
            message = self._sessions.message(identifier)
            if message is None:
                raise
            return message

    def tell(self, identifier: str, *, fresh: bool = True) -> Observation:
        """As `get`, without what no agent may be told: private blocks and secrets of others."""
        told = self._current.outgoing.clean(self.get(identifier, fresh=fresh))
        self._current.outgoing.save()
        return told

    def tell_hits(self, hits: Sequence[Hit]) -> list[Hit]:
        """Rows of a search as an agent may be told them: of what is cleaned, only the summary."""
        told = []
        for hit in hits:
            observation = self.get(hit.entry.id, fresh=False)
            clean = self._current.outgoing.clean(observation)
            if clean is not observation:
                entry = hit.entry._replace(
                    summary=clean.summary,
                    tags=clean.tags,
                    agent=clean.agent,
                    category=clean.category,
                )
                hit = Hit(entry, hit.score)
            told.append(hit)
        self._current.outgoing.save()
        return told

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file. Raises `InvalidObservation`."""
        return self._backend.read(check_issue(issue)).observations()
