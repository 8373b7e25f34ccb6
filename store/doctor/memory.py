"""What is to be said of a memory as a whole: how capture goes, its size, and git."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from store.activity import describe_capture, read_log
from store.backends.protocol import Backend
from store.doctor.findings import Finding, FindingKind
from store.errors import Unreadable
from store.git.command import describe_git
from store.git.setup import git_status

MANY = 40_000
"""Observations from which compaction is advised (SPEC-29 §12.3)."""
LARGE = 40_000_000
"""Bytes from which compaction is advised (SPEC-29 §12.3)."""
_LOG, _LISTING = "activity.jsonl", "manifest.json"
_OFFER = "git merges this memory line by line. Run `memtui git install` to merge memory by memory."
_LEAVE = "Remove it with `git rm --cached`."


def capture_findings(backend: Backend, now: datetime) -> Iterator[Finding]:
    """How the last captures went, by the log."""
    try:
        health = read_log(backend, 0).capture
    except Unreadable as error:
        yield Finding(FindingKind.UNREADABLE, _LOG, error.message)
        return
    if said := describe_capture(health, now):
        failing = health.failing_since is not None
        kind = FindingKind.CAPTURE if failing else FindingKind.CAPTURED
        yield Finding(kind, _LOG, f"{said} {health.message}".strip() if failing else said)


def size_findings(backend: Backend, count: int) -> Iterator[Finding]:
    """Whether memory grew large."""
    size = backend.size()
    if count > MANY or size > LARGE:
        yield Finding(
            FindingKind.LARGE,
            "",
            f"Memory has {count:,} memories in {size / 1e6:,.0f} MB. Compact old ones.",
        )


def git_findings(backend: Backend) -> Iterator[Finding]:
    """Whether git keeps it."""
    if backend.folder.is_dir() and (git := describe_git(backend.folder)) is not None:
        yield Finding(FindingKind.GIT, "", git)
        status = git_status(backend.folder)
        if status.is_offered:
            yield Finding(FindingKind.GIT, "", _OFFER)
        if status.tracks_manifest:
            yield Finding(
                FindingKind.GIT, _LISTING, f"git tracks {_LISTING}, which is generated. {_LEAVE}"
            )
