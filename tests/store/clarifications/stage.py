"""Makers of clarifications, and a clock that tests move."""

from __future__ import annotations

from datetime import UTC, datetime

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
    question = Question(asker, to, topic, body, blocking)
    return rules.ask(standing, issue, question, scope or Scope(), now)
