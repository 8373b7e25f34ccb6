"""Whom an agent may ask, and within which limits, by the project's workflows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from store.model import Problem

BLOCKING_ROUNDS, OTHER_ROUNDS = 5, 6
"""Rounds of a blocking and of another clarification, before a person is asked (ADR-1)."""
SLA = timedelta(minutes=30)
"""The time for an answer, without a workflow."""
PIPELINE = (
    "product-manager",
    "pm",
    "ux-designer",
    "ux",
    "architect",
    "solution-architect",
    "data-scientist",
    "engineer",
    "reviewer",
    "devops",
    "devops-engineer",
)
"""The agents of AgentX from upstream to downstream, where no workflow names an order."""


class Scope(NamedTuple):
    """The limits of one asker: `can_clarify` lists the agents that it may ask; None is any.

    `max_rounds` is None where the limit of the seed holds. `unread` is the workflow because of
    which the strictest limits hold.
    """

    can_clarify: frozenset[str] | None = None
    max_rounds: int | None = None
    sla: timedelta = SLA
    blocking_allowed: bool = True
    unread: str = ""

    def rounds(self, *, blocking: bool) -> int:
        """Return the rounds after which a person is asked."""
        return self.max_rounds or (BLOCKING_ROUNDS if blocking else OTHER_ROUNDS)


class Workflows(NamedTuple):
    """The scopes by agent, the agents from upstream to downstream, and what could not be read."""

    scopes: Mapping[str, Scope]
    order: tuple[str, ...] = PIPELINE
    problems: tuple[Problem, ...] = ()
    unread: str = ""
    """The first that could not be read at all: it may name any agent."""

    def scope(self, agent: str) -> Scope:
        """Return the limits of an agent; the defaults where no workflow names it.

        What can't be read may name any agent, without `can_clarify`, and any limit.
        """
        scope = self.scopes.get(agent, Scope())
        return strictest(scope, self.unread) if self.unread else scope

    def is_upstream(self, agent: str, other: str) -> bool:
        """Compare the order of two agents in the pipeline; one that nothing names comes last."""
        return self._place(agent) < self._place(other)

    def _place(self, agent: str) -> int:
        return self.order.index(agent) if agent in self.order else len(self.order)


def strictest(scope: Scope, unread: str) -> Scope:
    """Return the strictest reading of a scope that could not be read in full."""
    asked = scope.can_clarify or frozenset()
    return Scope(asked, 1, scope.sla, blocking_allowed=False, unread=unread)
