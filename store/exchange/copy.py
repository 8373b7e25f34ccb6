"""A memory copied whole to another place, as it is kept: planned, verified, resumed after a break.

Nothing of the source is changed. Records keep their very texts wherever the target can hold those.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from store.backends import is_in_vault, shown_location
from store.backends.activity import RecallLog, folded
from store.backends.issue_records import IssueRecords, check_read, location_of
from store.backends.protocol import Backend, Stamps
from store.backends.vault.changes import fields_of
from store.errors import Conflict, ReadOnly, Unreadable, WriteFailed
from store.exchange.texts_and_log import copy_log, copy_texts, missing_entries, missing_texts
from store.exchange.values import Progress
from store.exchange.vault import KEY, fill_vault, places_in
from store.model import Location
from store.records import DEFAULTS, RawRecord, new_record

_Lists = Mapping[Location, list[RawRecord]]
_Digests = Counter[bytes]
"""The digests of records with their locations, each with how many there are."""
_RECALLS = ("recallCount", "lastRecalled")


_ROUNDS = 5
"""How often the source is looked at again for what others wrote to it meanwhile."""


@dataclass(frozen=True, slots=True)
class IssueCopy:
    """The copy of one issue. `memories` counts its records, the `archived` ones too.

    `is_there`: the target has all of them already.
    """

    issue: int
    memories: int
    archived: int
    is_there: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """The copy of a memory to `target`, a path or a URL.

    `texts` counts those that the target lacks, by kind; `entries` those of the activity log.
    """

    target: Path | str = field(repr=False)
    issues: tuple[IssueCopy, ...]
    texts: Mapping[str, int]
    entries: int

    @property
    def shown(self) -> str:
        """The target as it may be shown: without a password."""
        return shown_location(self.target)

    @property
    def memories(self) -> int:
        return sum(issue.memories for issue in self.issues)

    @property
    def archived(self) -> int:
        return sum(issue.archived for issue in self.issues)

    @property
    def already_there(self) -> int:
        return sum(issue.memories for issue in self.issues if issue.is_there)

    @property
    def is_empty(self) -> bool:
        is_whole = self.already_there == self.memories
        return is_whole and not self.entries and not any(self.texts.values())


def plan_copy(
    source: Backend, target: Backend, place: Path | str, progress: Progress | None = None
) -> Copy:
    """Plan a copy to `target`, which is opened at `place`. Changes nothing.

    `progress` is called with the issues compared, and all. Raises `Conflict` where the target holds
    what the source does not, `ReadOnly` where it can't be written, and `Unreadable` where a part of
    either can't be read.
    """
    copied, held, recalls = source.issues(), target.issues(), _uncounted(source)
    issues = []
    for number, issue in enumerate(sorted(copied | held), 1):
        wanted = _lists(source.read(issue), recalls)
        there = _lists(target.read(issue)) if issue in held else {}
        digests = digests_of(wanted)
        _check_ours(there, wanted, issue, place)
        if digests:
            archived = len(wanted[Location.ARCHIVE])
            is_there = digests_of(there) == digests
            issues.append(IssueCopy(issue, digests.total(), archived, is_there))
        if progress is not None:
            progress(number, len(copied | held))
    texts = missing_texts(source, target, shown_location(place))
    counts = Counter(str(text.kind) for text in texts)
    copy = Copy(place, tuple(issues), counts, len(missing_entries(source, target)))
    if not copy.is_empty and not target.is_writable():
        raise ReadOnly(f"The memory in {copy.shown} can't be written.", "Choose another place.")
    return copy


def copy_memory(
    source: Backend,
    target: Backend,
    place: Path | str,
    *,
    shared: bool = False,
    progress: Progress | None = None,
) -> int:
    """Copy what the target lacks, and verify each issue; how many memories the target has now.

    What is there already is skipped, so that a copy that broke off is resumed by another one.
    Issues that others write to the source meanwhile are copied again. `shared` leaves the digests
    of sessions to git. `progress` is called with the issues done, and all. Raises as `plan_copy`,
    and `WriteFailed` where what was written does not read as it should.
    """
    recalls, shown = _uncounted(source), shown_location(place)
    places: Mapping[str, Mapping[str, Any]] = {}
    if is_in_vault(source) and not is_in_vault(target):
        places = places_in(source.folder)  # with these the way back leads to the same files
    if is_in_vault(target) and not target.issues():
        _fill(source, target, recalls)
    done: dict[int, _Digests] = {}
    stamps: Stamps = {}
    for _ in range(_ROUNDS):
        changes = source.changes_since(stamps)
        if not changes.issues:
            break
        stamps = changes.stamps
        for number, issue in enumerate(sorted(changes.issues), 1):
            wanted = _placed(_lists(source.read(issue), recalls), places, is_in_vault(target))
            _copy_issue(wanted, target, issue, done.get(issue, Counter()), place)
            done[issue] = digests_of(wanted)
            if progress is not None:
                progress(number, len(changes.issues))
    else:
        raise Conflict(
            "The memory changed while it was copied.", "Run it again when no agent is working."
        )
    copy_texts(missing_texts(source, target, shown), target, shared=shared)
    copy_log(missing_entries(source, target), target)
    if missing_texts(source, target, shown) or missing_entries(source, target):
        raise WriteFailed(f"Not all of the log and texts were copied to {shown}.", "Run it again.")
    if done:
        target.settle(done)
    return sum(digests.total() for digests in done.values())


def _fill(source: Backend, vault: Backend, recalls: RecallLog | None) -> None:
    """Write a vault at once; what it holds is looked at issue by issue afterwards."""
    lists: dict[Location, list[RawRecord]] = {location: [] for location in Location}
    for issue in sorted(source.issues()):
        for location, records in _lists(source.read(issue), recalls).items():
            lists[location] += records
    if any(lists.values()):
        fill_vault(vault, lists)


def _placed(
    lists: _Lists, places: Mapping[str, Mapping[str, Any]], to_vault: bool
) -> dict[Location, list[RawRecord]]:
    """Records with their place in a vault; in a vault itself their files have it."""

    def placed(record: RawRecord) -> RawRecord:
        value = record.value
        if not isinstance(value, dict) or not (place := places.get(str(value.get("id")))):
            if not to_vault or not isinstance(value, dict) or KEY not in value:
                return record
            kept = fields_of(record)
            return new_record({key: field for key, field in kept.items() if key != KEY})
        return new_record({**fields_of(record), KEY: place})

    return {where: list(map(placed, held)) for where, held in lists.items()}


def digests_of(lists: _Lists, *, without: Collection[str] = ()) -> _Digests:
    """Return the digests of records by their values, whatever the order of their keys or their own.

    The keys in `without`, and their place in a vault, are left out.
    """
    without = {*without, KEY}
    return Counter(
        _digest(record, where, without) for where, records in lists.items() for record in records
    )


def _copy_issue(
    wanted: _Lists, target: Backend, issue: int, ours: _Digests, place: Path | str
) -> None:
    """Have an issue of the target hold what is wanted, and look whether it does.

    `ours` is what this copy wrote there before. Raises `Conflict`, `WriteFailed`.
    """
    digests = digests_of(wanted)
    if not digests and not ours:
        return
    with target.changing(issue) as held:
        there = _lists(held)
        found = digests_of(there)
        if found == digests:
            return
        if found != ours:
            _check_ours(there, wanted, issue, place)
        _replace(held, wanted)
    found = digests_of(_lists(target.read(issue)))
    if found != digests:
        raise WriteFailed(
            f"{shown_location(place)} does not hold issue #{issue} as it is: "
            f"{(digests - found).total():,} of {digests.total():,} memories differ.",
            "The memory that was copied is unchanged. Run `memtui doctor` on it.",
        )


def _replace(held: IssueRecords, wanted: _Lists) -> None:
    """Put records in the place of all that an issue holds."""
    for location, records in wanted.items():
        names = [name for name in held.parts if location_of(name) is location]
        if records and not names:
            names = [held.part_for_new(location)]
        for at, name in enumerate(names):
            held.parts[name].records = list(records) if at == 0 else []


def _check_ours(there: _Lists, wanted: _Lists, issue: int, place: Path | str) -> None:
    """Raise `Conflict` where a target holds another record than is wanted of an issue. One that
    only counts other recalls is no other: the source may have been recalled since an earlier copy.
    """
    found, known = (digests_of(lists, without=_RECALLS) for lists in (there, wanted))
    if others := (found - known).total():
        raise Conflict(
            f"{shown_location(place)} holds another memory: {others:,} of issue #{issue} "
            f"{'is' if others == 1 else 'are'} not in the one to copy. It was left as it is.",
            "Choose an empty place. To add memories to it, use `memtui export` and `import`.",
        )


def _lists(records: IssueRecords, recalls: RecallLog | None = None) -> _Lists:
    """Return the records of an issue by location, in their order. Raises `Unreadable`."""
    check_read(records, *Location)
    lists: dict[Location, list[RawRecord]] = {location: [] for location in Location}
    for name, part in records.parts.items():
        lists[location_of(name)] += (
            record for record in part.records if not records.is_back(record.value)
        )
    if recalls is None:
        return lists
    return {where: [_counted(record, recalls) for record in held] for where, held in lists.items()}


def _uncounted(source: Backend) -> RecallLog | None:
    """Return the recalls in the log, where its old entries are gone and can't be copied: then they
    are counted into the records. None where the whole log goes along.
    """
    log = source.log.stamp()
    if not log.begin and source.log.summary().until <= log.end:
        return None
    recalls = RecallLog(source.log)
    recalls.read_on(complete=True)
    return recalls


def _counted(record: RawRecord, recalls: RecallLog) -> RawRecord:
    if recalls.uncounted(record.value) is None:
        return record
    counted = folded(record.exact(), recalls)
    return record if counted is None else new_record(counted)


def _digest(record: RawRecord, location: Location, without: Collection[str]) -> bytes:
    try:
        value = record.exact()
        if isinstance(value, dict):
            full = {**DEFAULTS, **value}
            value = {key: field for key, field in full.items() if key not in without}
        text = json.dumps(value, sort_keys=True).encode("ascii")
    except (Unreadable, RecursionError):  # it nests too deeply to be taken apart
        text = record.text
    return blake2b(text, digest_size=16, person=location.encode("ascii")).digest()
