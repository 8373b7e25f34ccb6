"""The doctor: what is wrong with a store, what it means, and the plan that would mend it.

An examination reads and changes nothing; a repair is an operation like any other.
"""

from __future__ import annotations

import re
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from store.activity import describe_capture, read_log
from store.disk.issue_records import IssueRecords, list_issues, read_issue, record_id
from store.disk.layout import (
    ACTIVITY,
    ARCHIVE,
    MANIFEST,
    QUARANTINE,
    Shelf,
    archive_name,
    issue_name,
    recovered_name,
)
from store.disk.locks import judge
from store.disk.manifest import manifest_ids
from store.disk.totals import size_on_disk
from store.errors import Unreadable
from store.git import describe_git
from store.operations.diff import describe
from store.operations.plan import Change, Move, Plan, same_content
from store.text.sanitizer import sanitize

MANY = 40_000
"""Observations from which compaction is advised (SPEC-29 §12.3)."""
LARGE = 40_000_000
"""Bytes from which compaction is advised (SPEC-29 §12.3)."""
_AHEAD = timedelta(days=1)
_OLD_LEFTOVER = 3600.0
"""Seconds after which a temporary file can belong to no write that is still going on."""
Progress = Callable[[int, int], None]
"""Is told the issues looked at so far, and all."""
_TEMPORARY = re.compile(r"\..+\.(?P<pid>\d+)-[0-9a-f]{8}\.tmp", re.ASCII)


class Kind(StrEnum):
    """What a finding is about."""

    UNREADABLE = "unreadable-file"
    RECOVERED = "recovered-file"
    INVALID = "invalid-record"
    DUPLICATE = "duplicate-id"
    MANIFEST = "manifest"
    INDEX = "index"
    LOCK = "orphaned-lock"
    TEMPORARY = "temporary-file"
    FUTURE = "future-timestamp"
    SECRET = "secret"
    PERMISSIONS = "world-writable"
    LARGE = "large-store"
    CAPTURE = "failing-capture"
    CAPTURED = "last-capture"
    GIT = "git"


INFORMATION = frozenset({Kind.LARGE, Kind.CAPTURED, Kind.GIT})
"""Findings that say something good to know, not that something is wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor found. `repair` says what `--repair` would do, empty for nothing."""

    kind: Kind
    path: str
    message: str
    repair: str = ""

    @property
    def is_problem(self) -> bool:
        """Whether something is wrong, rather than good to know."""
        return self.kind not in INFORMATION


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """What the index says of itself: its documents, segments and files, and its problems."""

    documents: int
    segments: int
    in_memory: bool


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings, and the plan that mends those of the record that can be mended.

    `rebuild_manifest` and `rebuild_index` say which derived data a repair builds anew.
    """

    findings: tuple[Finding, ...]
    plan: Plan
    rebuild_manifest: bool = False
    rebuild_index: bool = False

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong."""
        return not any(finding.is_problem for finding in self.findings)

    @property
    def repairable(self) -> bool:
        """Whether a repair would do anything."""
        return not self.plan.is_empty or self.rebuild_manifest or self.rebuild_index

    def describe_repair(self) -> str:
        """The whole repair in words and marks, as `store.operations.diff` writes a plan."""
        lines = [] if self.plan.is_empty else [describe(self.plan).rstrip()]
        lines += [f"+ {MANIFEST} is built anew"] if self.rebuild_manifest else []
        lines += ["+ the index is built anew"] if self.rebuild_index else []
        return "\n".join(lines)


def examine(
    folder: Path, now: datetime, index: IndexHealth, progress: Progress | None = None
) -> Examination:
    """Look at everything in a store. Changes nothing, and never raises for what it finds."""
    findings: list[Finding] = []
    changes: list[Change] = []
    moves: list[Move] = []
    names = list_issues(folder)
    ids: list[str] = []
    total = 0
    issues = sorted(set(names.values()))
    for number, issue in enumerate(issues):
        if progress is not None:
            progress(number, len(issues))
        records = read_issue(folder, issue)
        findings += _records_findings(records, now)
        for finding, steps in _files_findings(records, now):
            findings.append(finding)
            moves += [step for step in steps if isinstance(step, Move)]
            changes += [step for step in steps if isinstance(step, Change)]
        for finding, change in _duplicate_findings(records):
            findings.append(finding)
            changes += [change] if change is not None else []
        for finding, change in _secret_findings(records):
            findings.append(finding)
            changes.append(change)
        ids += [item.id for item in records.observations()]
        valid = (held for held in records.held() if held.observation is not None)
        total += len({(held.shelf, held.record.text) for held in valid})
    for finding, move in _leftovers(folder, now):
        findings.append(finding)
        moves.append(move)
    listed = manifest_ids(folder)
    manifest_wrong = Counter(listed or ()) != Counter(ids) and bool(ids or listed)
    if manifest_wrong:
        findings.append(_manifest_finding(folder, listed, len(ids)))
    index_findings = list(_index_findings(index, total))
    findings += index_findings
    findings += _capture_findings(folder, now)
    findings += _store_findings(folder, len(ids))
    plan = Plan("repair", _title(moves, changes), tuple(changes), moves=tuple(moves))
    return Examination(tuple(findings), plan, manifest_wrong, bool(index_findings))


def _records_findings(records: IssueRecords, now: datetime) -> Iterator[Finding]:
    observations = [held.observation for held in records.held() if held.observation is not None]
    for problem in records.problems:
        if problem.path not in records.unreadable:
            yield Finding(Kind.INVALID, problem.path, problem.message)
    ahead = [item for item in observations if item.timestamp > now + _AHEAD]
    if ahead:
        yield Finding(
            Kind.FUTURE,
            issue_name(records.issue),
            f"{_count(len(ahead), 'observation')} of issue {records.issue} "
            f"{'is' if len(ahead) == 1 else 'are'} dated in the future, {ahead[0].id} first; "
            "they count as new in every recall.",
        )


def _files_findings(
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
                f"Move its {_count(len(steps) - 1, 'observation')} into {own}.",
            ),
            steps,
        )


def _duplicate_findings(records: IssueRecords) -> Iterator[tuple[Finding, Change | None]]:
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


def _secret_findings(records: IssueRecords) -> Iterator[tuple[Finding, Change]]:
    for held in records.held():
        if held.observation is None:
            continue
        exact = held.record.exact()
        cleaned = dict(exact)
        names: list[str] = []
        for key in ("content", "summary"):
            if isinstance(exact.get(key), str):
                clean = sanitize(exact[key])
                cleaned[key] = clean.text
                names += clean.redactions
        if names:
            identifier = held.observation.id
            what = ", ".join(sorted(set(names)))
            yield (
                Finding(
                    Kind.SECRET,
                    issue_name(records.issue),
                    f"{identifier} holds what looks like a secret ({what}).",
                    "Replace it by a mark, for good: this part of a repair can't be undone.",
                ),
                Change(held.shelf, records.issue, identifier, exact, cleaned, forget=True),
            )


def _leftovers(folder: Path, now: datetime) -> Iterator[tuple[Finding, Move]]:
    stamp = f"{now:%Y%m%dT%H%M%S}"
    for prefix, place in (("", folder), (f"{ARCHIVE}/", folder / ARCHIVE)):
        for path in _entries(place):
            name = prefix + path.name
            aside = f"{QUARANTINE}/{stamp}-{path.name.lstrip('.')}"
            if path.name.endswith(".json.lock"):
                marker = judge(path, time.time())
                if marker is not None and marker.breakable:
                    message = f"{name} was left behind by {marker.holder}."
                    yield (
                        Finding(Kind.LOCK, name, message, f"Move it to {aside}."),
                        Move(name, aside),
                    )
            elif (match := _TEMPORARY.fullmatch(path.name)) and _is_left(path, int(match["pid"])):
                message = f"{name} is what a write left that never ended."
                yield (
                    Finding(Kind.TEMPORARY, name, message, f"Move it to {aside}."),
                    Move(name, aside),
                )


def _is_left(path: Path, pid: int) -> bool:
    try:
        age = time.time() - path.lstat().st_mtime
    except OSError:
        return False
    return age > _OLD_LEFTOVER or not Path(f"/proc/{pid}").exists()


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _manifest_finding(folder: Path, listed: list[str] | None, count: int) -> Finding:
    if listed is None:
        state = "can't be read" if (folder / MANIFEST).exists() else "is missing"
        message = f"{MANIFEST} {state}; AgentX finds nothing without it."
    else:
        others = "others" if len(listed) == count else f"{count:,}"
        message = f"{MANIFEST} lists {len(listed):,} observations, the issue files hold {others}."
    return Finding(Kind.MANIFEST, MANIFEST, message, "Build it anew from the issue files.")


def _index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    if index.documents != expected:
        yield Finding(
            Kind.INDEX,
            "",
            f"The index holds {index.documents:,} observations, the files {expected:,}.",
            "Build the index anew.",
        )
    elif index.segments > 60:
        yield Finding(
            Kind.INDEX,
            "",
            f"The index is in {index.segments} pieces, which makes searching slower.",
            "Build the index anew.",
        )


def _capture_findings(folder: Path, now: datetime) -> Iterator[Finding]:
    try:
        health = read_log(folder, 0).capture
    except Unreadable as error:
        yield Finding(Kind.UNREADABLE, ACTIVITY, error.message)
        return
    if said := describe_capture(health, now):
        failing = health.failing_since is not None
        kind = Kind.CAPTURE if failing else Kind.CAPTURED
        yield Finding(kind, ACTIVITY, f"{said} {health.message}".strip() if failing else said)


def _store_findings(folder: Path, count: int) -> Iterator[Finding]:
    try:
        if folder.stat().st_mode & stat.S_IWOTH:
            yield Finding(
                Kind.PERMISSIONS,
                "",
                "Everyone on this machine may write into the memory folder.",
                "",
            )
    except OSError:
        return
    size = size_on_disk(folder)
    if count > MANY or size > LARGE:
        yield Finding(
            Kind.LARGE,
            "",
            f"Memory holds {count:,} observations in {size / 1e6:,.0f} MB; compaction would help.",
        )
    if (git := describe_git(folder)) is not None:
        yield Finding(Kind.GIT, "", git)


def _title(moves: list[Move], changes: list[Change]) -> str:
    parts = []
    if moves:
        parts.append(f"set {_count(len(moves), 'file')} aside or in place")
    if changes:
        parts.append(f"change {_count(len(changes), 'record')}")
    return f"Repair: {' and '.join(parts)}" if parts else "Repair"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
