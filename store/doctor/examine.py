"""The examination of a whole memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from store.action import Action, ActionKind
from store.activity.log import read_log
from store.backends.issue_records import IssueRecords
from store.backends.protocol import Backend, Fact
from store.clarifications.folder import folder_of
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.workflows import read_workflows
from store.doctor.findings import Examination, Finding, FindingKind, IndexHealth
from store.doctor.issues import (
    duplicate_findings,
    record_findings,
    returned_findings,
    secret_findings,
)
from store.doctor.traces import trace_findings
from store.errors import Unreadable
from store.git.setup import GitStatus, git_status
from store.model import LARGE_STORE, MANY_OBSERVATIONS, Location
from store.notice import Notice, notice, quoted
from store.operations.plan import Change, Move, Plan
from store.records import format_time
from store.redaction.outgoing import Outgoing

_LOG, _LISTING = "activity.jsonl", "manifest.json"
Progress = Callable[[int, int], None]
"""Takes the issues looked at so far, and all."""


def capture_findings(backend: Backend, now: datetime) -> Iterator[Finding]:
    try:
        health = read_log(backend, 0).capture
    except Unreadable as error:
        yield Finding(FindingKind.UNREADABLE, _LOG, quoted(error.message))
        return
    if health.failing_since is not None:
        since = format_time(health.failing_since)
        message = notice("capture-fails", since=since, now=format_time(now), text=health.message)
        yield Finding(FindingKind.CAPTURE, _LOG, message)
    elif health.last is not None:
        message = notice("last-capture", at=format_time(health.last), now=format_time(now))
        yield Finding(FindingKind.CAPTURED, _LOG, message)


def ledger_findings(backend: Backend) -> Iterator[Finding]:
    """Report ledgers of questions between agents that can't be read."""
    ledgers = ClarificationLedgers(backend.folder)
    problems = read_workflows(ledgers.workflows, ledgers.root).problems
    if folder_of(backend.folder).is_dir():
        problems = (*ledgers.read().problems, *problems)
    for problem in problems:
        message = quoted(f"{problem.path}: {problem.message}")
        yield Finding(FindingKind.UNREADABLE, problem.path, message)


def size_findings(backend: Backend, count: int) -> Iterator[Finding]:
    size = backend.size()
    if count > MANY_OBSERVATIONS or size > LARGE_STORE:
        yield Finding(
            FindingKind.LARGE,
            "",
            notice("large", memories=count, megabytes=round(size / 1e6)),
        )


def git_findings(backend: Backend) -> Iterator[Finding]:
    for level, part in backend.levels.items():
        if part.files is not None:
            yield from (replace(one, level=level) for one in git_findings(part))
    if backend.levels or not backend.folder.is_dir():
        return
    status = git_status(backend.folder)
    if status.repository is not None:
        yield Finding(FindingKind.GIT, "", _kept_by_git(status))
        if status.is_offered:
            yield Finding(FindingKind.DRIVER, "", notice("git-merges-lines"))
        if status.tracks_manifest:
            yield Finding(FindingKind.GIT, _LISTING, notice("git-tracks-derived", file=_LISTING))


def _kept_by_git(status: GitStatus) -> Notice:
    if status.is_tracked:
        return notice("git-tracks")
    return notice("git-ignores") if status.is_ignored else notice("git-untracked")


def index_findings(index: IndexHealth, expected: int) -> Iterator[Finding]:
    """Compare the index with the files: number of observations, number of segments."""
    if index.documents != expected:
        yield Finding(
            FindingKind.INDEX,
            "",
            notice("index-behind", documents=index.documents, files=expected),
            notice("rebuild-index"),
        )
    elif index.segments > 60:
        yield Finding(
            FindingKind.INDEX,
            "",
            notice("index-in-pieces", segments=index.segments),
            notice("rebuild-index"),
        )


@dataclass(slots=True)
class _Found:
    findings: list[Finding] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    total: int = 0
    outgoing: Outgoing = field(default_factory=lambda: Outgoing(None))

    def add(self, facts: Iterable[Fact], issue: int = 0) -> None:
        """Add findings of the backend, and the repairs that it knows."""
        for fact in facts:
            kind, level = FindingKind(fact.kind), fact.level
            finding = Finding(kind, fact.path, fact.notice, fact.repair, level=level)
            self.findings.append(finding)
            self.moves += [Move(source, target) for source, target in fact.moves]
            self.changes += [
                Change(Location.ISSUE, issue, identifier, None, record)
                for identifier, record in fact.adopt.items()
            ]

    def look_at(self, records: IssueRecords, now: datetime, facts: Iterable[Fact]) -> None:
        held = list(records.held())
        known = len(self.findings)
        self.findings += record_findings(records, held, now)
        self.add(facts, records.issue)
        for finding, changes in (
            *duplicate_findings(records),
            *returned_findings(records),
            *secret_findings(records.issue, held, self.outgoing),
        ):
            self.findings.append(finding)
            self.changes += changes
        self.findings[known:] = [
            one if one.level else replace(one, level=records.level_of(one.path))
            for one in self.findings[known:]
        ]
        valid = [one for one in held if one.observation is not None]
        self.ids += [
            one.observation.id
            for one in held
            if one.observation is not None and one.location is Location.ISSUE
        ]
        self.total += len({(one.location, one.record.text) for one in valid})


def examine(
    backend: Backend,
    now: datetime,
    index: IndexHealth | None,
    progress: Progress | None = None,
    outgoing: Outgoing | None = None,
) -> Examination:
    """Look at everything in a memory. Changes nothing, and never raises for what it finds.

    `index` is None where there is none yet. `outgoing` knows what holds no secret, and learns it.
    """
    found = _Found(outgoing=outgoing or Outgoing(None))
    stamp = f"{now:%Y%m%dT%H%M%S}"
    issues, files = sorted(backend.issues()), backend.files
    for number, records in enumerate(backend.read_each(issues)):
        if progress is not None:
            progress(number, len(issues))
        facts = () if files is None else files.examine_issue(records, stamp)
        found.look_at(records, now, facts)
    found.add(backend.examine(found.ids, stamp))
    index_wrong = list(index_findings(index, found.total)) if index else []
    found.findings += index_wrong
    found.findings += capture_findings(backend, now)
    found.findings += size_findings(backend, len(found.ids))
    found.findings += ledger_findings(backend)
    found.findings += git_findings(backend)
    changes, moves = tuple(found.changes), tuple(found.moves)
    plan = Plan(_action(moves, changes), changes, moves=moves)
    manifest_wrong = any(finding.kind is FindingKind.MANIFEST for finding in found.findings)
    found.findings += trace_findings(backend)
    return Examination(
        tuple(found.findings),
        plan,
        manifest_wrong,
        bool(index_wrong),
        merges=_paths(found.findings, FindingKind.CONFLICT),
        traces=_paths(found.findings, FindingKind.TRACE),
    )


def _paths(findings: Sequence[Finding], kind: FindingKind) -> tuple[str, ...]:
    return tuple(finding.path for finding in findings if finding.kind is kind)


def _action(moves: Sequence[Move], changes: Sequence[Change]) -> Action:
    figures = {"files": len(moves), "records": len(changes)}
    return Action(ActionKind.REPAIR, {name: number for name, number in figures.items() if number})
