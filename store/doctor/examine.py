"""The examination of a whole store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from store.backends.files.issue_records import list_issues, read_issue
from store.backends.files.manifest import manifest_ids
from store.doctor.derived import index_findings, manifest_finding
from store.doctor.findings import Examination, Finding, IndexHealth, Kind, plural
from store.doctor.folder import capture_findings, folder_findings, leftovers
from store.doctor.issues import (
    duplicate_findings,
    file_findings,
    record_findings,
    secret_findings,
)
from store.doctor.traces import trace_findings
from store.model import Shelf
from store.operations.plan import Change, Move, Plan

Progress = Callable[[int, int], None]
"""Is told the issues looked at so far, and all."""


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
        held = list(records.held())
        findings += record_findings(records, held, now)
        for finding, steps in file_findings(records, now):
            findings.append(finding)
            moves += [step for step in steps if isinstance(step, Move)]
            changes += [step for step in steps if isinstance(step, Change)]
        for finding, change in duplicate_findings(records):
            findings.append(finding)
            changes += [change] if change is not None else []
        for finding, change in secret_findings(records.issue, held):
            findings.append(finding)
            changes.append(change)
        standing = [one for one in held if one.shelf is Shelf.ISSUE]
        ids += [one.observation.id for one in standing if one.observation is not None]
        total += len({(one.shelf, one.record.text) for one in held if one.observation is not None})
    for finding, move in leftovers(folder, now):
        findings.append(finding)
        moves.append(move)
    listed = manifest_ids(folder)
    manifest_wrong = Counter(listed or ()) != Counter(ids) and bool(ids or listed)
    if manifest_wrong:
        findings.append(manifest_finding(folder, listed, len(ids)))
    index_wrong = list(index_findings(index, total))
    findings += index_wrong
    findings += capture_findings(folder, now)
    findings += folder_findings(folder, len(ids))
    plan = Plan("repair", _title(moves, changes), tuple(changes), moves=tuple(moves))
    findings += trace_findings(folder)
    traces = tuple(it.path for it in findings if it.kind is Kind.TRACE)
    merges = tuple(it.path for it in findings if it.kind is Kind.CONFLICT)
    return Examination(tuple(findings), plan, manifest_wrong, bool(index_wrong), merges, traces)


def _title(moves: list[Move], changes: list[Change]) -> str:
    parts = []
    if moves:
        parts.append(f"set {plural(len(moves), 'file')} aside or in place")
    if changes:
        parts.append(f"change {plural(len(changes), 'record')}")
    return f"Repair: {' and '.join(parts)}" if parts else "Repair"
