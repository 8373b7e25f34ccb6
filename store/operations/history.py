"""The lines of the history: what each operation of the journal did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from store.action import Action
from store.operations.journal import Operation
from store.operations.plan import Plan


@dataclass(frozen=True, slots=True)
class OperationInfo:
    """One line of the history. `count` is the number of observations it touched.

    `about` is the summary of the first of them.
    """

    id: str
    action: Action
    timestamp: datetime
    undone: bool
    count: int
    about: str = ""

    @property
    def kind(self) -> str:
        """The kind of the action."""
        return self.action.kind


def info_of(operation: Operation, is_redone: bool = False) -> OperationInfo:
    """Summarise an operation for the history."""
    plan = operation.plan
    return OperationInfo(
        operation.id,
        plan.action,
        operation.timestamp,
        bool(operation.undone_by) or is_redone,
        len({change.id for change in plan.changes}),
        _about(plan),
    )


def _about(plan: Plan) -> str:
    for change in plan.changes:
        summary = (change.after or change.before or {}).get("summary")
        if isinstance(summary, str):
            return summary
    asked = (change.after or change.before or {} for change in plan.clarifications)
    topics = (str(record.get("topic", "")) for record in asked)
    return ", ".join((*(move.source for move in plan.moves), *topics))
