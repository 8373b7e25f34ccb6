"""Capture from several sessions at once: each planned as if those before it had been captured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

from store.capture.plan import Captured, CapturePlan
from store.model import Category, Observation

Held = Callable[[int], Sequence[Observation]]
"""What an issue holds already."""


class SeveralSessions:
    """The plans of sessions, oldest first, and what memory would hold after them.

    `held` reads what an issue holds, `new_id` makes the id that what is kept will have: a later
    session names what it replaces by it.
    """

    def __init__(self, held: Held, new_id: Callable[[str, int, datetime], str]) -> None:
        self._read_held = held
        self._new_id = new_id
        self._held: dict[int, list[Observation]] = {}
        self._plans: list[CapturePlan] = []
        self._left: list[str] = []

    def held(self, issue: int) -> Sequence[Observation]:
        """Records of an issue after the sessions planned so far."""
        if issue not in self._held:
            self._held[issue] = list(self._read_held(issue))
        return self._held[issue]

    def add(self, plan: CapturePlan) -> None:
        """Take the plan of the next session. What was read of it is let go."""
        kept = tuple(map(self._named, plan.kept))
        held = [memory for memory in self.held(plan.issue) if memory not in plan.replaced]
        self._held[plan.issue] = [*held, *(captured.observation for captured in kept)]
        self._plans.append(replace(plan, kept=kept, session=None, evidence=()))

    def leave(self, sentence: str) -> None:
        """Say of a file that it can't be read."""
        self._left.append(sentence)

    def _named(self, captured: Captured) -> Captured:
        it = captured.observation
        identifier = self._new_id(it.agent, it.issue_number, it.timestamp)
        return captured._replace(observation=it._replace(id=identifier))

    def together(self) -> CapturePlan:
        """One plan of all, the newest session's first; of procedures only the last that holds."""
        plans = _without_replaced(tuple(reversed(self._plans)))
        return CapturePlan(
            kept=tuple(chain.from_iterable(plan.kept for plan in plans)),
            skipped=tuple(chain.from_iterable(plan.skipped for plan in plans)),
            redactions=tuple(chain.from_iterable(plan.redactions for plan in plans)),
            unread_lines=sum(plan.unread_lines for plan in plans),
            sessions=plans,
            left=tuple(self._left),
            picked_by=next((plan.picked_by for plan in plans), ""),
            left_out=sum(plan.left_out for plan in plans),
            replaced=tuple(chain.from_iterable(plan.replaced for plan in plans)),
        )


def _without_replaced(plans: Sequence[CapturePlan]) -> tuple[CapturePlan, ...]:
    """The plans, newest first, without procedures that a later one took over whole."""
    replaced: set[str] = set()
    left: list[CapturePlan] = []
    for plan in plans:
        kept = [captured for captured in plan.kept if captured.observation.id not in replaced]
        for captured in plan.kept:  # of one that is replaced, what it replaced itself is, too
            if captured.observation.category == Category.PROCEDURE:
                replaced.update(captured.observation.sources)
        left.append(replace(plan, kept=tuple(kept)))
    return tuple(left)
