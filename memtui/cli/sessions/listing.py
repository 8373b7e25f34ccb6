"""The list of sessions that `memtui sessions` prints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.cells import cell_len

from memtui.cli.memory import memory_or_new, opened_at
from memtui.cli.output import (
    note,
    one_line,
    paint,
    print_json,
    print_line,
    progress,
    terminal_width,
)
from memtui.cli.sessions.earlier import print_offered
from memtui.cli.sessions.everywhere import NONE_EVERYWHERE, note_how_to_open, opened_everywhere
from memtui.cli.sessions.index import print_not_indexed
from memtui.formatting import age, aligned, fit, lasted, memories, plural, shown_path
from store.agents.client import Home
from store.errors import Unreadable
from store.memory import Memory
from store.records import time_field
from store.sessions.documents import ended
from store.sessions.listing import DigestCache, waiting_files
from store.sessions.model import SessionDigest

_INDENT = "  "
_PROJECT = 32
"""Cells of a project's folder."""


def print_sessions(limit: int, *, everywhere: bool, as_json: bool) -> None:
    """Print the sessions of this project, at most `limit` (0: all), and what to do about others; or
    those of all projects.
    """
    if everywhere:
        with opened_everywhere() as memory:
            found = memory.sessions.digests()[: limit or None]
        if as_json:
            print_json([_record(digest) for digest in found])
            return
        _print_rows(found, NONE_EVERYWHERE)
        if found:
            note_how_to_open(len(found), len(found))
        return
    with opened_at(memory_or_new(adding=False)) as memory:
        found, waiting = _read_sessions(memory, limit)
        writable = not waiting or memory.state().writable
        offered = () if as_json else memory.session_files.offered(Home.of_user())
    if as_json:
        print_json([_record(digest) for digest in found])
        return
    _print_rows(found, "No agent sessions found for this project.")
    print_not_indexed(waiting, writable)
    print_offered(offered)


def _print_rows(found: Sequence[SessionDigest], none: str) -> None:
    for line in _lines(found, terminal_width()):
        print_line(line)
    note(plural(len(found), "session") if found else none)


def _read_sessions(memory: Memory, limit: int) -> tuple[list[SessionDigest], int]:
    """Return the sessions, newest first, at most `limit` (0: all); how many are not indexed."""
    files = memory.session_files.of_project(Home.of_user())
    sessions, digests = memory.sessions.listing(files), DigestCache()
    waiting = waiting_files(sessions)
    to_read = waiting[: limit or None]
    with progress("Reading", "sessions") as report:
        for done, file in enumerate(to_read):
            report(done, len(to_read))
            try:
                digests.add(file, memory.sessions.read_digest(file))
            except Unreadable as error:
                note(one_line(error.message))
    known = [row.digest for row in digests.complete(sessions) if row.digest is not None]
    found = sorted(known, key=lambda digest: (ended(digest), digest.id), reverse=True)
    return found[: limit or None], len(waiting)


def _record(digest: SessionDigest) -> dict[str, object]:
    return {
        "id": digest.id,
        "agent": digest.agent,
        "branch": digest.branch,
        "issue": digest.issue,
        "started": time_field(digest.started),
        "ended": time_field(digest.ended),
        "asked": list(digest.asked),
        "changed": dict(digest.changed),
        "read": dict(digest.read),
        "memories": list(digest.memories),
        "recalls": list(digest.recalls),
        "path": digest.path,
        **({"project": digest.project} if digest.project else {}),
    }


def _lines(digests: Sequence[SessionDigest], width: int | None) -> list[str]:
    now = datetime.now(UTC)
    table = aligned(
        [
            (
                age(ended(digest), now) if digest.ended else "",
                lasted(digest.started, digest.ended),
                one_line(digest.agent),
                one_line(shown_path(Path(digest.project)), _PROJECT) if digest.project else "",
                f"#{digest.issue}" if digest.issue else "",
                _figures(digest),
                one_line(digest.branch, 24),
            )
            for digest in digests
        ]
    )
    lines = []
    for digest, cells in zip(digests, table, strict=True):
        head = _INDENT.join(cells) + _INDENT + ("  " if digest.ended_well else "! ")
        asked = one_line(digest.asked[0]) if digest.asked else ""
        if width is not None:
            asked = fit(asked, max(12, width - cell_len(head))).rstrip()
        lines.append(paint(head, dim=True) + asked)
    return lines


def _figures(digest: SessionDigest) -> str:
    """Files changed, memories captured, recalls given: `3 files, 2 memories, 1 recall`."""
    counts = (
        plural(len(digest.changed), "file") if digest.changed else "",
        memories(len(digest.memories)) if digest.memories else "",
        plural(len(digest.recalls), "recall") if digest.recalls else "",
    )
    return ", ".join(filter(None, counts))
