"""A settled clarification as a decision to be remembered."""

from __future__ import annotations

from store.clarifications.model import Clarification, EntryType, Status
from store.clarifications.rules import RESOLVED
from store.errors import InvalidObservation
from store.model import Category, Observation

SOURCE = "clarification:"
"""How a source begins that is a clarification."""


def decision_of(it: Clarification) -> Observation:
    """The decision that a resolved thread came to. Raises `InvalidObservation` for any other."""
    if it.status != Status.RESOLVED:
        raise InvalidObservation(
            f"{it.id} is {it.status}.", "Only a resolved one can become a decision."
        )
    question, answer = it.last(EntryType.QUESTION), it.last(EntryType.ANSWER)
    end = it.last(EntryType.RESOLUTION)
    said = [
        it.topic,
        *([f"{question.by} asked: {question.body}"] if question else []),
        *([f"{answer.by} answered: {answer.body}"] if answer else []),
        *([f"Resolved: {end.body}"] if end and end.body != RESOLVED else []),
    ]
    settled = answer or end
    return Observation(
        agent=settled.by if settled else it.asked,
        issue_number=it.issue,
        category=Category.DECISION,
        content="\n\n".join(said),
        summary=f"{it.topic}: {settled.body}" if settled else it.topic,
        timestamp=it.updated,
        sources=(f"{SOURCE}{it.id}",),
    )
