"""What a recall draws on beside memories: what was said and done in earlier sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.session_files import FilesOfSessions
from store.recall.values import Candidate


class SessionSource(Protocol):
    """What a recall draws on beside memories: earlier sessions."""

    @property
    def number(self) -> int:
        """How many messages there are."""

    def having(self, stem: str) -> int:
        """In how many messages a word stands, by its stem."""

    def candidates(self, request: RecallRequest) -> Sequence[Candidate]:
        """The messages and sessions that the request's words bring up."""

    def newest(self, request: RecallRequest) -> Sequence[Candidate]:
        """The last sessions, newest first."""

    def files(self) -> FilesOfSessions:
        """The files of every session."""

    def likeness(self, request: RecallRequest) -> Mapping[str, float]:
        """How much (0 to 1, the best being 1) each session is about the request."""

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""
