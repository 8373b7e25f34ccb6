"""Findings about a memory as a whole: capture, size, and git."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from store.activity.log import read_log
from store.backends.protocol import Backend
from store.clarifications.ledger import ClarificationLedgers
from store.clarifications.place import folder_of
from store.clarifications.scope import read_workflows
from store.doctor.findings import Finding, FindingKind
from store.errors import Unreadable
from store.git.setup import GitStatus, git_status
from store.model import LARGE_STORE, MANY_OBSERVATIONS
from store.notice import Notice, notice, quoted
from store.records import format_time

_LOG, _LISTING = "activity.jsonl", "manifest.json"


def capture_findings(backend: Backend, now: datetime) -> Iterator[Finding]:
    """Report failing captures, by the log."""
    try:
        health = read_log(backend, 0).capture
    except Unreadable as error:
        yield Finding(FindingKind.UNREADABLE, _LOG, quoted(error.message))
        return
    if health.failing_since is not None:
        since = format_time(health.failing_since)
        said = notice("capture-fails", since=since, now=format_time(now), text=health.message)
        yield Finding(FindingKind.CAPTURE, _LOG, said)
    elif health.last is not None:
        said = notice("last-capture", at=format_time(health.last), now=format_time(now))
        yield Finding(FindingKind.CAPTURED, _LOG, said)


def ledger_findings(backend: Backend) -> Iterator[Finding]:
    """Report ledgers of questions between agents that can't be read."""
    ledgers = ClarificationLedgers(backend.folder)
    problems = read_workflows(ledgers.workflows, ledgers.root).problems
    if folder_of(backend.folder).is_dir():
        problems = (*ledgers.read().problems, *problems)
    for problem in problems:
        yield Finding(FindingKind.UNREADABLE, problem.path, quoted(problem.message))


def size_findings(backend: Backend, count: int) -> Iterator[Finding]:
    """Report a memory that grew large."""
    size = backend.size()
    if count > MANY_OBSERVATIONS or size > LARGE_STORE:
        yield Finding(
            FindingKind.LARGE,
            "",
            notice("large", memories=count, megabytes=round(size / 1e6)),
        )


def git_findings(backend: Backend) -> Iterator[Finding]:
    """Report how git treats the memory."""
    if not backend.folder.is_dir():
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
