"""What a recall draws on beside memories: what was said and done in earlier sessions."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Protocol

from store.model import Observation
from store.recall.request import RecallRequest
from store.recall.session_files import FilesOfSessions
from store.recall.values import Candidate


class SessionSource(Protocol):
    """What a recall draws on beside memories: earlier sessions."""

    def candidates(self, request: RecallRequest) -> Sequence[Candidate]:
        """The sessions and messages that the request brings up."""

    def newest(self, request: RecallRequest, besides: Container[str]) -> Sequence[Candidate]:
        """The last sessions, without those named."""

    def files(self) -> FilesOfSessions:
        """The files of every session."""

    def likeness(self, request: RecallRequest) -> Mapping[str, float]:
        """How much (0 to 1, the best being 1) each session is about the request."""

    def handle(self, observation: Observation) -> str:
        """The shortest ending of a message's or session's id that no other has."""


def newest_of_sessions(
    sessions: SessionSource, request: RecallRequest, memories: Sequence[Candidate]
) -> Sequence[Candidate]:
    """The last sessions, for a request that brings nothing of them up: where no task was given,
    those are told that memories don't tell of.
    """
    if request.task:
        return ()
    return sessions.newest(request, {it.observation.session_id for it in memories})
