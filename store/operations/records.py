"""Changing the records of a plan, issue by issue: each only while it is what the plan saw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from store.backends.issue_records import Dating, IssueRecords, check_read
from store.backends.protocol import Backend
from store.errors import StoreError
from store.model import COUNTERS, Location
from store.notice import Notice, notice
from store.operations.outcome import Outcome, failed_issue_notice, stopped_notice
from store.operations.plan import Change, GoesOn, Plan, has_same_content
from store.records import LEVEL

_FLAG = "archived"
"""The key in which a record and its copy in the archive may differ."""


def change_records(
    backend: Backend, plan: Plan, goes_on: GoesOn | None = None, dating: Dating | None = None
) -> Outcome:
    """Change the records of a plan, each issue atomically; `goes_on` is asked before each.

    An issue that could not be written is left, and named; the outcome has the first such error.
    """
    outcome = Outcome()
    issues = _by_issue(plan.changes)
    for number, (issue, changes) in enumerate(issues.items()):
        if goes_on is not None and not goes_on(number, len(issues)):
            stopped = stopped_notice(number, len(issues))
            return outcome + Outcome(left=(stopped,), is_stopped=True)
        try:
            with backend.changing(issue) as records:
                records.dating = dating
                changed = _change_issue(records, changes)
        except StoreError as error:
            changed = Outcome(left=(failed_issue_notice(issue, error),), error=error)
        outcome += changed
    return outcome


def are_records_changed(backend: Backend, plan: Plan) -> bool:
    """Return whether records are others than before a plan, as far as they can be read."""
    issues = _by_issue(plan.changes).items()
    return any(_is_issue_changed(backend, issue, changes) for issue, changes in issues)


def _is_issue_changed(backend: Backend, issue: int, changes: list[Change]) -> bool:
    """Return whether an issue shows other records than before, as far as it can be read.

    A copy in the archive shows nothing while the issue file has the record.
    """
    records = backend.read(issue)
    in_issue = {change.id for change in changes if change.location is Location.ISSUE}
    return any(
        not has_same_content(records.find(change.location, change.id), change.before)
        or records.is_doubled(change.id)
        for change in changes
        if change.location is Location.ISSUE or change.id not in in_issue
        if records.unread(change.location) is None
    )


def _by_issue(changes: Iterable[Change]) -> dict[int, list[Change]]:
    issues: dict[int, list[Change]] = {}
    for change in changes:
        issues.setdefault(change.issue, []).append(change)
    return issues


def _change_issue(records: IssueRecords, changes: list[Change]) -> Outcome:
    """Make the changes whose records are still what the plan saw.

    Changes of the same id belong together (a move between locations): all of them or none. Raises
    `Unreadable` where a record may be in a file that can't be read.
    """
    missing = [
        change
        for change in changes
        if change.before and records.find(change.location, change.id) is None
    ]
    check_read(records, *dict.fromkeys(change.location for change in missing))
    changed = 0
    left: list[Notice] = []
    by_id: dict[str, list[Change]] = {}
    for change in changes:
        by_id.setdefault(change.id, []).append(change)
    for identifier, together in by_id.items():
        if not records.has_levels and any(map(_is_move, together)):
            left.append(notice("level-not-open", id=identifier))
            continue
        pairs = [(records.find(change.location, identifier), change) for change in together]
        if all(_is_done(current, change) for current, change in pairs) and not records.is_doubled(
            identifier
        ):
            continue
        # What an earlier failure left half done is as it should be already.
        is_known = all(
            has_same_content(current, change.before) or has_same_content(current, change.after)
            for current, change in pairs
        )
        if not is_known or _is_elsewhere(records, together):
            left.append(notice("memory-changed-since", id=identifier, issue=records.issue))
            continue
        # Of what is in both files, the issue file's counters hold.
        held = next(filter(None, (records.find(location, identifier) for location in Location)), {})
        for change in together:
            if change.after is None:
                records.drop(change.location, identifier)
            else:
                records.put(change.location, _with_use(change, held), change.place)
        changed += 1
    return Outcome(changed, tuple(left))


def _is_move(change: Change) -> bool:
    """Return whether a change takes a record to another level."""
    levels = {record.get(LEVEL) for record in change.records}
    return None not in levels and len(levels) > 1


def _is_elsewhere(records: IssueRecords, changes: list[Change]) -> bool:
    """Return whether another version of a record that comes is in the other location by now."""
    seen = {change.location for change in changes}
    others = [
        records.find(location, changes[0].id) for location in Location if location not in seen
    ]
    return any(
        other is not None
        and not has_same_content({**other, _FLAG: None}, {**change.after, _FLAG: None})
        for change in changes
        if change.before is None and change.after is not None
        for other in others
    )


def _is_done(current: dict[str, Any] | None, change: Change) -> bool:
    after = change.after
    if after is None or current is None or not has_same_content(current, after):
        return after is None and current is None
    return all(current.get(key) == after.get(key) for key in change.scores)


def _with_use(change: Change, current: dict[str, Any]) -> dict[str, Any]:
    """Return the record to write, with the counters of its use as they are now, but for those
    that the change sets.
    """
    counters = {key: current[key] for key in COUNTERS - change.scores if key in current}
    return {**(change.after or {}), **counters}
