"""The list of sessions: one row for each, newest first, narrowed by a query's filters."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store.agents.client import SessionFile
from store.search.query import parse_query
from store.sessions.list_filter import narrowed
from store.sessions.listing import list_sessions
from store.sessions.model import SessionDigest
from tests.store.factories import NOW

KEPT = [
    SessionDigest(
        f"s-{number}",
        agent="codex" if number else "claude-code",
        branch="main" if number else "fix/lock",
        issue=29 + number,
        ended=NOW - timedelta(days=number),
        changed={"src/store/lock.py": 1} if number else {},
        read={} if number else {"README.md": 2},
    )
    for number in range(3)
]


def waiting(name: str, days: float, session_id: str = "") -> SessionFile:
    return SessionFile(Path(name), "codex", NOW - timedelta(days=days), 10, session_id=session_id)


def test_a_file_to_be_read_stands_for_what_was_kept_of_it() -> None:
    kept = [KEPT[0]._replace(path="/a.jsonl"), KEPT[1], KEPT[2]]
    files = [waiting("/a.jsonl", 5), waiting("/b.jsonl", 6, "s-1"), waiting("/c.jsonl", 1.5)]
    rows = list_sessions(kept, files)
    assert [(row.id, row.file) for row in rows] == [
        ("s-0", files[0]), ("s-1", files[1]), ("c", files[2]), ("s-2", None),
    ]  # fmt: skip
    assert [row.digest is None for row in rows] == [False, False, True, False]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "012"),
        ("issue:30", "1"),
        ("issue:29,31", "02"),
        ("-issue:30", "02"),
        ("agent:codex", "12"),
        ("branch:fix/lock", "0"),
        ("file:lock.py", "12"),
        ("file:readme.md", "0"),
        ("id:s-2", "2"),
        ("id:s-2,s-0", "02"),
        ("file:lock.py,readme.md", "012"),
        ("after:36h", "01"),
        ("before:36h", "2"),
        ("category:decision", ""),
        ("agent:codex -issue:30", "2"),
    ],
)
def test_a_query_names_sessions_by_its_filters(query: str, found: str) -> None:
    rows = narrowed(list_sessions(KEPT, [waiting("/c.jsonl", 1.5)]), parse_query(query, NOW))
    assert "".join(row.id[2:] for row in rows) == found
