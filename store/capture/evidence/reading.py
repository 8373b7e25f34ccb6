"""A session as the finders are given it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from store.agents.session import Session, Step
from store.agents.transcript import Message
from store.capture.candidate import Candidate, passage_of
from store.capture.work import Work


class Reading(NamedTuple):
    """A session, cut into works. `roots` are the project's folders, to which paths are relative;
    `known` the provenance of what memory rests on already; `is_over`: the session has ended.
    """

    session: Session
    works: Sequence[Work]
    roots: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    is_over: bool = True

    def from_step(self, step: Step, category: str, content: str, summary: str = "") -> Candidate:
        """Make a candidate of a tool call and its answer."""
        passage = passage_of(step.result.text if step.result else content)
        marks = self.session.marks([step])
        return Candidate(category, content, step.call.line, passage, summary, step.call.at, marks)

    def from_message(self, said: Message, category: str, content: str) -> Candidate:
        """Make a candidate of what somebody said."""
        return Candidate(category, content, said.line, passage_of(said.text), at=said.at)
