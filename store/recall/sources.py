"""The sources of a recall other than the index of memories: earlier sessions, and the code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from store.drift.verdicts import UNKNOWN, Drift
from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.touched import Gone, none_gone
from store.recall.values import Candidate

DriftOf = Callable[[Observation], Drift]
"""What became of the code that an observation names."""


class SessionSource(Protocol):
    @property
    def messages(self) -> int:
        """Number of messages."""

    def having(self, stem: str) -> int:
        """Return how many messages have a word, by its stem."""

    def candidates(self, request: RecallRequest) -> Sequence[Candidate]:
        """Return the sessions that the request's words bring up."""

    def newest(self, request: RecallRequest) -> Sequence[Candidate]:
        """Return the last sessions, newest first."""

    def handle(self, observation: Observation) -> str:
        """Return the shortest ending of a session's id that no other has."""


class Sources(NamedTuple):
    """The sources of a recall other than the index of memories; none by default."""

    sessions: SessionSource | None = None
    gone: Gone = none_gone
    drift: DriftOf = lambda observation: UNKNOWN
