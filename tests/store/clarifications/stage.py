"""Makers of clarifications, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from store.clarifications import rules
from store.clarifications.model import Clarification
from store.clarifications.rules import Question
from store.clarifications.scope import Scope, Workflows

NOW = datetime(2026, 2, 27, 10, 0, tzinfo=UTC)
FREE = Workflows({})


def asked(
    asker: str = "engineer",
    to: str = "architect",
    topic: str = "API contract",
    *,
    body: str = "Which status for a missing record?",
    blocking: bool = False,
    standing: tuple[Clarification, ...] = (),
    scope: Scope | None = None,
    now: datetime = NOW,
    issue: int = 29,
) -> Clarification:
    """A question that was just asked."""
    question = Question(asker, to, topic, body, blocking)
    return rules.ask(standing, issue, question, scope or Scope(), now)


def rounds(count: int, answers: Mapping[int, str] | None = None) -> Clarification:
    """A clarification answered in so many rounds, each answer another unless it is given."""
    it = asked()
    for number in range(1, count + 1):
        if number > 1:
            it = asked(standing=(it,), body=f"And what of case {number}?")
        said = (answers or {}).get(number, f"{'xyzw' * number} means {number * 37}")
        it = rules.answer(it, "architect", said, NOW + timedelta(minutes=number))
    return it
