"""Outcomes of the parts of a plan: what was changed, and what was left for which reason."""

from __future__ import annotations

from dataclasses import dataclass

from store.errors import NotSynced, StoreError
from store.notice import Notice, notice


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many changes were made, and why others were left; outcomes add up.

    `error` is the first that ended a write: what it left can be tried again. `is_stopped`: who
    asked for it had it stop before its end.
    """

    changed: int = 0
    left: tuple[Notice, ...] = ()
    error: StoreError | None = None
    is_stopped: bool = False

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.changed + other.changed,
            (*self.left, *other.left),
            other.error if self.error is None else self.error,
            self.is_stopped or other.is_stopped,
        )


def stopped_notice(done: int, of: int) -> Notice:
    """Return the notice of a plan that was stopped after `done` of its issues."""
    return notice("stopped", left=of - done, of=of)


def failed_issue_notice(issue: int, error: StoreError) -> Notice:
    """Return the notice of an issue that was not written, or of which no disk confirmed that."""
    return notice(
        "issue-changed" if isinstance(error, NotSynced) else "issue-not-changed",
        issue=issue,
        text=error.message,
    )
