"""The changes of a plan, record by record and key by key, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from store.model import COUNTERS, Location
from store.operations.plan import Change, Plan, Record
from store.redaction.sanitizer import clean_record

_HIDDEN = "…"
"""The value of a key that is itself not shown."""
_LONG = 400
"""Characters of a summary; what is beyond them is cut."""


class Effect(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    ARCHIVED = "archived"
    RESTORED = "restored"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class FieldDiff:
    """A key of a record and its values; None where it is not there before, or after.

    Where `before` is a `secret` it is not shown.
    """

    name: str
    before: object
    after: object
    secret: bool = False


@dataclass(frozen=True, slots=True)
class RecordDiff:
    """The effect on a record; `fields` are those that change, but for counters of use."""

    effect: Effect
    issue: int
    id: str
    category: str
    agent: str
    summary: str
    fields: tuple[FieldDiff, ...] = ()


def record_diffs(plan: Plan) -> Iterator[RecordDiff]:
    """Yield each record of a plan once, also where it moves between an issue and its archive.

    What becomes of a record is found when it is asked for: of a long plan its beginning costs no
    more than that of a short one.
    """
    archived = {
        c.id for c in plan.changes if c.location is Location.ARCHIVE and c.after is not None
    }
    restored = {c.id for c in plan.changes if c.location is Location.ARCHIVE and c.after is None}
    for change in _changes(plan):
        yield _record_diff(change, change.id in archived, change.id in restored)


def count_records(plan: Plan) -> int:
    return sum(1 for _ in _changes(plan))


def _changes(plan: Plan) -> Iterator[Change]:
    """One change of each record: that of the issue, else that of the archive."""
    in_issues = [change for change in plan.changes if change.location is Location.ISSUE]
    yield from in_issues
    ids = {change.id for change in in_issues}
    yield from (change for change in plan.changes if change.id not in ids)


def _record_diff(change: Change, archived: bool, restored: bool) -> RecordDiff:
    before, after = change.before, change.after
    if after is None:
        if before is None:
            return _of(change, Effect.FORGOTTEN, {})
        return _of(change, Effect.ARCHIVED if archived else Effect.REMOVED, before)
    if before is None:
        return _of(change, Effect.RESTORED if restored else Effect.ADDED, after)
    shown = after if change.forget else before
    return _of(change, Effect.CHANGED, shown, tuple(_fields(before, after, change.forget)))


def _shown(record: Record) -> Record:
    """Return a record as it may be shown: without private blocks and secrets."""
    return clean_record(record)[0]


def _of(
    change: Change, effect: Effect, record: Record, fields: tuple[FieldDiff, ...] = ()
) -> RecordDiff:
    shown = _shown(record)
    return RecordDiff(
        effect=effect,
        issue=change.issue,
        id=change.id,
        category=str(shown.get("category", "")),
        agent=str(shown.get("agent", "")),
        summary=_line(str(shown.get("summary") or shown.get("content") or "")),
        fields=fields,
    )


def _fields(before: Record, after: Record, secret: bool) -> Iterator[FieldDiff]:
    was, will = _shown(before), _shown(after)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key) and key not in COUNTERS:
            yield FieldDiff(
                key,
                was.get(key, _HIDDEN) if key in before else None,
                will.get(key, _HIDDEN) if key in after else None,
                secret,
            )


def _line(text: str) -> str:
    text = text.replace("\n", "\\n")
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
