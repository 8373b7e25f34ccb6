"""Findings about the files of an issue, and the steps that mend them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from store.backends.issue_records import Held, IssueRecords, location_of
from store.doctor.findings import Finding, FindingKind
from store.errors import Unreadable
from store.merge.record import merge_records
from store.merge.versions import PROPOSED, REMOVED, alternatives
from store.model import Location
from store.notice import Notice, notice, quoted
from store.operations.plan import Change, has_same_content
from store.records import RawRecord, record_id, to_record
from store.redaction.outgoing import Outgoing
from store.redaction.sanitizer import PRIVATE, clean_record, sanitize
from store.redaction.walk import texts, texts_of

_AHEAD = timedelta(days=1)


def record_findings(
    records: IssueRecords, held: Sequence[Held], now: datetime
) -> Iterator[Finding]:
    """Yield what is wrong with an issue's records: unreadable, edited twice, of the future."""
    observations = [one.observation for one in held if one.observation is not None]
    for problem in records.problems:
        if problem.is_restored:
            repair = notice("merge-file", file=problem.path)
            yield Finding(FindingKind.CONFLICT, problem.path, quoted(problem.message), repair)
        elif problem.path not in records.unreadable:
            yield Finding(FindingKind.INVALID, problem.path, quoted(problem.message))
    for one in held:
        if one.observation is not None and (others := alternatives(one.observation.extra)):
            yield Finding(FindingKind.TWICE, one.part, _edited_twice(one, others))
    ahead = [item for item in observations if item.timestamp > now + _AHEAD]
    if ahead:
        part = next(one.part for one in held if one.observation is ahead[0])
        yield Finding(
            FindingKind.FUTURE,
            part,
            notice("future", memories=len(ahead), issue=records.issue, first=ahead[0].id),
        )


def _edited_twice(one: Held, others: Sequence[Mapping[str, Any]]) -> Notice:
    identifier = one.observation.id if one.observation else ""
    if agents := sorted({str(other[PROPOSED]) for other in others if PROPOSED in other}):
        return notice("proposed", id=identifier, agents=", ".join(agents))
    if any(REMOVED in other for other in others):
        return notice("edited-and-deleted", id=identifier)
    return notice("edited-twice", id=identifier)


def duplicate_findings(records: IssueRecords) -> Iterator[tuple[Finding, Sequence[Change]]]:
    """Yield ids that are there twice; an equal copy in the archive is removed."""
    for name, file in records.parts.items():
        counts = Counter(record_id(record.value) for record in file.records)
        for identifier, count in counts.items():
            if identifier is not None and count > 1:
                message = notice("same-id", file=name, records=count, id=identifier)
                yield Finding(FindingKind.DUPLICATE, name, message), ()
    for name, part in records.parts.items():
        if location_of(name) is Location.ARCHIVE:
            yield from _archived_too(records, name, part.records)


def returned_findings(records: IssueRecords) -> Iterator[tuple[Finding, Sequence[Change]]]:
    """Yield records that were removed here, and that a merge brought back from another clone."""
    if not records.tombstones:
        return
    for name, part in records.parts.items():
        for record in part.records:
            identifier = record_id(record.value)
            if identifier is not None and records.is_back(record.value):
                where = location_of(name)
                change = Change(where, records.issue, identifier, record.exact(), None)
                message = notice("is-back", id=identifier, issue=records.issue)
                yield Finding(FindingKind.BACK, name, message, notice("remove-again")), (change,)


def _archived_too(
    records: IssueRecords, name: str, archived: Sequence[RawRecord]
) -> Iterator[tuple[Finding, Sequence[Change]]]:
    for record in archived:
        identifier = record_id(record.value)
        in_issue = None if identifier is None else records.find(Location.ISSUE, identifier)
        if identifier is None or in_issue is None:
            continue
        exact = record.exact()
        same = has_same_content({**exact, "archived": None}, {**in_issue, "archived": None})
        if same:
            change = Change(Location.ARCHIVE, records.issue, identifier, exact, None)
            message = notice("archived-too", id=identifier, issue=records.issue)
            yield Finding(FindingKind.DUPLICATE, name, message, notice("delete-copy")), (change,)
        else:
            message = notice("archived-otherwise", id=identifier, issue=records.issue)
            changes = _as_versions(records.issue, identifier, in_issue, exact)
            repair = notice("keep-versions", issue=records.issue) if changes else None
            yield Finding(FindingKind.DUPLICATE, name, message, repair), changes


def _as_versions(
    issue: int, identifier: str, in_issue: Mapping[str, Any], archived: Mapping[str, Any]
) -> tuple[Change, ...]:
    """Return the changes that keep an archived version with the one in the issue, to choose of.

    No changes where one holds a secret: that is taken out first.
    """
    if any(set(clean_record(record)[1]) - {PRIVATE} for record in (in_issue, archived)):
        return ()
    other = {key: value for key, value in archived.items() if key != "archived"}
    both = merge_records(None, in_issue, other)
    return (
        Change(Location.ISSUE, issue, identifier, in_issue, both),
        Change(Location.ARCHIVE, issue, identifier, archived, None),
    )


def _in_id(value: Mapping[str, Any]) -> tuple[str, ...]:
    known = record_id(value)
    if known is None or known == value["id"]:
        return ()
    return sanitize(value["id"]).redactions


def _texts_of(one: Held) -> tuple[str, ...]:
    """Return the texts of a record: those of its observation, as it is known from storing it, where
    they are all.
    """
    if one.observation is not None and to_record(one.observation) == one.record.value:
        return tuple(texts_of(one.observation))
    return tuple(texts(one.record.value))


def secret_findings(
    issue: int, held: Sequence[Held], outgoing: Outgoing
) -> Iterator[tuple[Finding, Sequence[Change]]]:
    """Yield the records that hold what looks like a secret, each with its replacement by a mark.

    What `outgoing` knows to hold none isn't looked at again, and it gets to know the others.
    """
    for one in held:
        value = one.record.value
        if not isinstance(value, dict):
            continue
        try:
            held_texts = _texts_of(one)
            if outgoing.is_clean(held_texts):
                continue
            found = (*clean_record(value)[1], *_in_id(value))
            names = {*found} - {PRIVATE}
            exact = one.record.exact() if names else None
        except (RecursionError, Unreadable):
            continue  # it nests too deep to be changed, and is named for that
        if exact is None:
            if not found:
                outgoing.know(held_texts)
            continue
        identifier = record_id(value)
        repair: Notice | None = None
        changes: tuple[Change, ...] = ()
        if identifier is not None:
            after = {**clean_record(exact)[0], "id": identifier}
            changes = (Change(one.location, issue, identifier, exact, after, forget=True),)
            repair = notice("redact")
        message = notice("secret", what=identifier or one.part, rules=", ".join(sorted(names)))
        yield Finding(FindingKind.SECRET, one.part, message, repair), changes
