"""What one memory has of the several that it stands for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.merge import (
    history_of_file,
    is_lasting,
    merge,
    merge_whole,
    merged_observation,
)
from store.compaction.model import Reason
from store.records import estimate_tokens
from tests.store.compaction.notes import note
from tests.store.factories import NOW

_DAY = timedelta(days=1)
OLD = note(
    "old", "First", 9, agent="tester", session_id="s1", recall_count=4, relevance_score=0.9,
    tags=("a", "b"), last_recalled=NOW - 3 * _DAY, seen_count=2,
    extra={"branch": "fix", "commit": "c1", "theirs": 1},
)  # fmt: skip
MIDDLE = note(
    "middle", "Second, see [[A plan]]", 8, recall_count=1, tags=("b",), last_recalled=NOW - _DAY,
    seen_count=3, relevance_score=0.1,
)  # fmt: skip
NEW = note(
    "new", "Third", 7, agent="engineer", session_id="s3", tags=("c", "a"), issue_number=29,
    extra={"commit": "c3"},
)  # fmt: skip


def test_fields_of_a_merged_observation() -> None:
    merged = merged_observation([NEW, MIDDLE, OLD], "All", "In short", "lesson")
    assert (merged.agent, merged.session_id, merged.timestamp) == ("engineer", "s3", NEW.timestamp)
    assert (merged.issue_number, merged.category, merged.summary) == (29, "lesson", "In short")
    assert (merged.recall_count, merged.seen_count) == (5, 6)
    assert merged.relevance_score == 0.9
    assert merged.last_recalled == NOW - _DAY
    assert merged.extra == {"branch": "fix", "commit": "c3", "theirs": 1}
    assert merged.tags == ("c", "a", "b")
    assert merged.sources == ("new", "middle", "old")
    assert merged.content == "All\n\nSee [[A plan]]"
    assert merged.tokens == estimate_tokens(merged.content)
    never = merged_observation([NEW, note("b", "x", 9)], "x", "x", "lesson")
    assert never.last_recalled is None


@pytest.mark.parametrize(
    ("category", "lasting"),
    [("decision", True), ("key-fact", True), ("lesson", True), ("procedure", True),
     ("project", True), ("error", False), ("code-change", False), ("handoff", False),
     ("task", False), ("theirs", False)],
)  # fmt: skip
def test_lasting_categories(category: str, lasting: bool) -> None:
    assert is_lasting(category) is lasting


def test_error_before_its_fixes() -> None:
    error = note("e", "`pay` fails: rows are locked", 9, category="error")
    fixes = [
        note("f", "`pay` waits for locked rows", 8, category="code-change"),
        note("g", "`pay` asks again after a second", 7, category="lesson"),
    ]
    (cluster,) = merge([*fixes, error], Reason.ERROR_AND_FIX, "about")
    assert cluster.merged.content == (
        "`pay` fails: rows are locked\nFix: `pay` asks again after a second\n"
        "`pay` waits for locked rows"
    )
    assert (cluster.merged.category, cluster.about) == ("error", "about")
    assert cluster.merged.timestamp == fixes[1].timestamp
    assert [one.id for one in cluster.originals] == ["g", "f", "e"] == [*cluster.merged.sources]
    assert merge_whole([*fixes, error], Reason.ERROR_AND_FIX, "about") == cluster


@pytest.mark.parametrize(
    ("content", "entries"),
    [
        ("Updated `src/lock.py`: waits", ["Updated: waits"]),
        ("Updated file src/lock.py - waits", ["Updated: waits"]),
        ("src/lock.py: waits", ["waits"]),
        ("src/lock.py", ["src/lock.py"]),
        ("Created src/lock.py", ["Created"]),
        ("Waits with jitter in src/lock.py.", ["Waits with jitter."]),
        ("The lock of src/lock.py waits", ["The lock of src/lock.py waits"]),
        ("Created src/lock.py. It waits\nlong", ["Created: It waits, long"]),
        ("Created src/lock.py.\n\nIt waits.\n \n", ["Created: It waits"]),
    ],
)
def test_history_entries(content: str, entries: list[str]) -> None:
    statements = history_of_file(note("a", content))
    assert [one.text for one in statements] == entries
    assert {one.label for one in statements} == {"2026-01-30 "}


def test_history_line_read_again() -> None:
    line = "src/lock.py: 2026-02-09 Renamed it; and tested; ; 2026-13-40 Odd; 2026-01-20 Created"
    assert [(one.label, one.text) for one in history_of_file(note("a", line))] == [
        ("2026-02-09 ", "Renamed it"),
        ("2026-02-09 ", "and tested"),
        ("2026-02-09 ", "Odd"),
        ("2026-01-20 ", "Created"),
    ]
