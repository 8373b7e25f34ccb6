"""What one memory has of the several that it stands for."""

from __future__ import annotations

from datetime import timedelta

from store.compaction.merge import merged_observation
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
    extra={"commit": "c3"}, relevance_score=0.2,
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
