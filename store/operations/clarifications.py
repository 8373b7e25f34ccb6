"""Changing clarifications as a plan says: each only while it is what the plan saw."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from store.backends.protocol import Backend
from store.clarifications.ledger import ClarificationLedgers
from store.errors import StoreError
from store.operations.plan import ClarificationChange, Plan


def change_clarifications(backend: Backend, plan: Plan, left: list[str]) -> int:
    """Change the clarifications of a plan, each ledger atomically; how many were changed.

    One that has changed since, or can't be written, is left and named. Raises as writing does
    where nothing was changed.
    """
    if not plan.clarifications:
        return 0
    ledgers = ClarificationLedgers(backend.folder)
    done = 0
    failures: list[StoreError] = []
    for issue, changes in groupby(plan.clarifications, lambda it: it.issue):
        try:
            with ledgers.changing(issue) as records:
                made = _change(records, changes, left)
        except StoreError as error:
            failures.append(error)
            left.append(f"The clarifications of issue {issue}: {error.message}")
            continue
        done += made
    if failures and not done:
        raise failures[0]
    return done


def _change(
    records: dict[str, dict[str, Any]], changes: Iterable[ClarificationChange], left: list[str]
) -> int:
    done = 0
    for change in changes:
        now = records.get(change.id)
        if now == change.after:
            continue
        if now != change.before:
            left.append(f"{change.id} has changed since; left as is.")
            continue
        if change.after is None:
            del records[change.id]
        else:
            records[change.id] = dict(change.after)
        done += 1
    return done
