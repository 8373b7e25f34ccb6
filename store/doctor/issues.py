"""What is wrong with the files of an issue, and the steps that mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from store.backends.files.issue_records import Held, IssueRecords
from store.backends.files.layout import QUARANTINE, archive_name, issue_name, recovered_name
from store.doctor.findings import Finding, Kind, plural
from store.merge.record import REMOVED, alternatives
from store.model import Shelf
from store.operations.plan import Change, Move, same_content
from store.records import record_id, to_record
from store.redaction.sanitizer import PRIVATE, clean_observation

_AHEAD = timedelta(days=1)


def record_findings(
    records: IssueRecords, held: Sequence[Held], now: datetime
) -> Iterator[Finding]:
    """Records that are not valid, and observations from the future."""
    observations = [one.observation for one in held if one.observation is not None]
    for problem in records.problems:
        if problem.is_restored:
            repair = f"Write {problem.path} merged; as it is now it stays in {QUARANTINE}/."
            yield Finding(Kind.CONFLICT, problem.path, problem.message, repair)
        elif problem.path not in records.unreadable:
            yield Finding(Kind.INVALID, problem.path, problem.message)
    for one in held:
        if one.observation is not None and (others := alternatives(one.observation.extra)):
            yield Finding(Kind.TWICE, issue_name(records.issue), _say_twice(one, others))
    ahead = [item for item in observations if item.timestamp > now + _AHEAD]
    if ahead:
        yield Finding(
            Kind.FUTURE,
            issue_name(records.issue),
            f"{plural(len(ahead), 'observation')} of issue {records.issue} "
            f"{'is' if len(ahead) == 1 else 'are'} dated in the future, {ahead[0].id} first; "
            "they count as new in every recall.",
        )


def _say_twice(one: Held, others: Sequence[Mapping[str, Any]]) -> str:
    """What two branches made of one memory."""
    identifier = one.observation.id if one.observation else ""
    if any(REMOVED in other for other in others):
        return f"{identifier} was edited on one branch and removed on another; it was kept."
    return f"{identifier} was edited on two branches; both versions are kept, the newer one counts."


def file_findings(
    records: IssueRecords, now: datetime
) -> Iterator[tuple[Finding, list[Move | Change]]]:
    """Files that can't be read go to quarantine; recovered ones become part of their issue."""
    issue = records.issue
    own, recovered = issue_name(issue), recovered_name(issue)
    stamp = f"{now:%Y%m%dT%H%M%S}"
    for name in (own, recovered, archive_name(issue)):
        if name in records.unreadable:
            problem = next(item for item in records.problems if item.path == name)
            if name in records.unopened:
                # It may be well: only who may read it can say.
                yield Finding(Kind.UNREADABLE, name, problem.message), []
                continue
            aside = f"{QUARANTINE}/{stamp}-{Path(name).name}"
            steps: list[Move | Change] = [Move(name, aside)]
            repair = f"Set the file aside as {aside}, as it is."
            if name == own and recovered in records.files:
                steps.append(Move(recovered, own))
                repair += f" {recovered} takes its place."
            yield Finding(Kind.UNREADABLE, name, problem.message, repair), steps
    if own in records.files and recovered in records.files:
        aside = f"{QUARANTINE}/{stamp}-{recovered}"
        steps = [Move(recovered, aside)]
        known = {record_id(record.value) for record in records.files[own].records}
        for record in records.files[recovered].records:
            identifier = record_id(record.value)
            exact = record.exact()
            if identifier is not None and identifier not in known and isinstance(exact, dict):
                steps.append(Change(Shelf.ISSUE, issue, identifier, None, exact))
        yield (
            Finding(
                Kind.RECOVERED,
                recovered,
                f"{recovered} holds what was stored while {own} could not be read.",
                f"Move its {plural(len(steps) - 1, 'observation')} into {own}.",
            ),
            steps,
        )


def duplicate_findings(records: IssueRecords) -> Iterator[tuple[Finding, Change | None]]:
    """Ids that stand twice; a copy in the archive that says the same is removed."""
    for name, file in records.files.items():
        counts = Counter(record_id(record.value) for record in file.records)
        for identifier, count in counts.items():
            if identifier is not None and count > 1:
                message = f"{name} holds {count} records with the id {identifier}; all are shown."
                yield Finding(Kind.DUPLICATE, name, f"{message} Give all but one another id."), None
    for record in (
        records.files[archive_name(records.issue)].records
        if (archive_name(records.issue) in records.files)
        else ()
    ):
        identifier = record_id(record.value)
        standing = None if identifier is None else records.find(Shelf.ISSUE, identifier)
        if identifier is None or standing is None:
            continue
        exact = record.exact()
        same = same_content({**exact, "archived": None}, {**standing, "archived": None})
        message = f"{identifier} stands in issue {records.issue} and in its archive."
        if same:
            change = Change(Shelf.ARCHIVE, records.issue, identifier, exact, None)
            repair = "Remove the copy in the archive."
            yield Finding(Kind.DUPLICATE, archive_name(records.issue), message, repair), change
        else:
            rest = "The two differ; the one in the issue counts."
            yield Finding(Kind.DUPLICATE, archive_name(records.issue), f"{message} {rest}"), None


def secret_findings(issue: int, held: Sequence[Held]) -> Iterator[tuple[Finding, Change]]:
    """Observations that hold what looks like a secret, each with its replacement by a mark."""
    for one in held:
        if one.observation is None:
            continue
        clean, redactions = clean_observation(one.observation)
        if names := set(redactions) - {PRIVATE}:
            identifier = one.observation.id
            what = ", ".join(sorted(names))
            exact, before, after = one.record.exact(), to_record(one.observation), to_record(clean)
            kept = {key: value for key, value in exact.items() if key in after or key not in before}
            changed = {key: value for key, value in after.items() if value != before.get(key)}
            yield (
                Finding(
                    Kind.SECRET,
                    issue_name(issue),
                    f"{identifier} holds what looks like a secret ({what}).",
                    "Replace it by a mark, for good: this part of a repair can't be undone.",
                ),
                Change(one.shelf, issue, identifier, exact, {**kept, **changed}, forget=True),
            )
