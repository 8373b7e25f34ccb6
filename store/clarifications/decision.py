"""A settled clarification as a decision to be remembered."""

from __future__ import annotations

from store.clarifications.model import Clarification, EntryType, Status
from store.clarifications.rules import RESOLVED
from store.errors import InvalidObservation
from store.model import Category, Observation

SOURCE = "clarification:"
"""How a source begins that is a clarification."""


def decision_of(clarification: Clarification) -> Observation:
    """The decision that a resolved thread came to. Raises `InvalidObservation` for any other."""
    if clarification.status != Status.RESOLVED:
        raise InvalidObservation(
            f"{clarification.id} is {clarification.status}.",
            "Only a resolved one can become a decision.",
        )
    question, answer = clarification.last(EntryType.QUESTION), clarification.last(EntryType.ANSWER)
    end = clarification.last(EntryType.RESOLUTION)
    said = [
        clarification.topic,
        *([f"{question.by} asked: {question.body}"] if question else []),
        *([f"{answer.by} answered: {answer.body}"] if answer else []),
        *([f"Resolved: {end.body}"] if end and end.body != RESOLVED else []),
    ]
    settled = answer or end
    return Observation(
        agent=settled.by if settled else clarification.asked,
        issue_number=clarification.issue,
        category=Category.DECISION,
        content="\n\n".join(said),
        summary=f"{clarification.topic}: {settled.body}" if settled else clarification.topic,
        timestamp=clarification.updated,
        sources=(f"{SOURCE}{clarification.id}",),
    )
