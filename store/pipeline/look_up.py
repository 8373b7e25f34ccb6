"""Single observations: read by their id or their issue, whole or as an agent may be told them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store.errors import NotFound
from store.model import Observation, check_issue

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
        """The observation with this id, or the only one whose id ends with it; else such a message.

        Raises `NotFound`, `AmbiguousId`.
        """
        try:
            return self._current.ask(
                lambda searcher: self._current.reader(searcher).get(identifier), fresh=fresh
            )
        except NotFound:
            message = self._sessions.message(identifier)
            if message is None:
                raise
            return message

    def of_moment(self, millis: str) -> list[str]:
        """The ids of the observations that name these milliseconds, as a vault's entries do."""
        return self._current.ask(
            lambda searcher: self._current.reader(searcher).of_moment(millis), fresh=False
        )

    def tell(self, identifier: str, *, fresh: bool = True) -> Observation:
        """As `get`, but safe to show: without secrets and private passages of other programs.

        What is to be changed is read by `get`.
        """
        return self._current.outgoing.clean(self.get(identifier, fresh=fresh))

    def cleaned(self, observation: Observation) -> Observation:
        """An observation as it may be told: without private blocks and secrets of others."""
        return self._current.outgoing.clean(observation)

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file. Raises `InvalidObservation`."""
        return self._backend.read(check_issue(issue)).observations()
