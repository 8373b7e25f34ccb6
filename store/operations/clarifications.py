"""Changing clarifications by a plan: each only while it is what the plan saw; forgetting what
is in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from store.backends.protocol import Backend
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.rules import SOURCE
from store.errors import StoreError
from store.notice import Notice, notice
from store.operations.outcome import Outcome
from store.operations.passages import Passages
from store.operations.plan import ClarificationChange, Plan


def change_clarifications(backend: Backend, plan: Plan) -> Outcome:
    """Change the clarifications of a plan, each ledger atomically.

    One that has changed since, or can't be written, is left and named. Raises as writing does
    where nothing was changed.
    """
    ledgers = ClarificationLedgers(backend.folder)
    outcome = Outcome()
    failure: StoreError | None = None
    for issue, changes in groupby(plan.clarifications, lambda clarification: clarification.issue):
        try:
            with ledgers.changing(issue) as records:
                changed = _change(records, changes)
        except StoreError as error:
            failure = failure or error
            left = notice("clarifications-not-changed", issue=issue, text=error.message)
            changed = Outcome(left=(left,))
        outcome += changed
    if failure is not None and not outcome.changed:
        raise failure
    return outcome


def _change(records: dict[str, dict[str, Any]], changes: Iterable[ClarificationChange]) -> Outcome:
    changed = 0
    left: list[Notice] = []
    for change in changes:
        current = records.get(change.id)
        if current == change.after:
            continue
        if current != change.before:
            left.append(notice("changed-since", what=change.id))
            continue
        if change.after is None:
            del records[change.id]
        else:
            records[change.id] = dict(change.after)
        changed += 1
    return Outcome(changed, tuple(left))


def are_clarifications_changed(backend: Backend, plan: Plan) -> bool:
    """True if a plan's clarifications are others than before it, as far as they can be read."""
    ledgers = ClarificationLedgers(backend.folder)
    issues = {change.issue for change in plan.clarifications}
    try:
        found = [
            clarification
            for issue in issues
            for clarification in ledgers.of_issue(issue).clarifications
        ]
    except StoreError:
        return True
    held = {clarification.id: clarification.record for clarification in found}
    return any(held.get(change.id) != change.before for change in plan.clarifications)


def bodies_of_sources(
    backend: Backend, records: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    """Texts that records have word for word from the clarifications named as their sources."""
    sources = (str(source) for record in records for source in record.get("sources") or ())
    named = {source.removeprefix(SOURCE) for source in sources if source.startswith(SOURCE)}
    contents = [str(record.get("content")) for record in records]
    for clarification in ClarificationLedgers(backend.folder).read().clarifications:
        for entry in clarification.thread if clarification.id in named else ():
            if any(entry.body in content for content in contents):
                yield {"content": entry.body}


def clarifications_holding(backend: Backend, passages: Passages) -> tuple[str, ...]:
    found = ClarificationLedgers(backend.folder).read().clarifications
    return tuple(
        clarification.id for clarification in found if passages.is_in_value(clarification.record)
    )


def forget_in_clarifications(backend: Backend, ids: Iterable[str], passages: Passages) -> None:
    """Take passages out of clarifications. Raises as writing does."""
    wanted = set(ids)
    ledgers = ClarificationLedgers(backend.folder)
    found = ledgers.read().clarifications
    issues = {clarification.issue for clarification in found if clarification.id in wanted}
    for issue in sorted(issues):
        with ledgers.changing(issue) as records:
            for identifier in wanted & records.keys():
                records[identifier] = passages.without_value(records[identifier])


def without_text(change: ClarificationChange, passages: Passages) -> ClarificationChange:
    """Return a change that keeps nothing of some passages, so that it can still be taken back."""
    before, after = passages.without_value([change.before, change.after])
    return replace(change, before=before, after=after)
