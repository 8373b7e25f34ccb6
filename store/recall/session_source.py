"""Earlier sessions as a source of a recall: messages, and work on files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.touched import SessionFiles
from store.recall.values import Candidate


class SessionSource(Protocol):
    """Earlier sessions as a source of a recall."""

    @property
    def number(self) -> int:
        """Number of messages."""

    def having(self, stem: str) -> int:
        """In how many messages a word stands, by its stem."""

    def candidates(self, request: RecallRequest) -> Sequence[Candidate]:
        """The messages and sessions that the request's words bring up."""

    def newest(self, request: RecallRequest) -> Sequence[Candidate]:
        """The last sessions, newest first."""

    def files(self, sessions: Collection[str]) -> Sequence[SessionFiles]:
        """The files of these sessions."""

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""
