"""What one memory has of the several that it stands for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from store.compaction.merge import (
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


def test_it_is_the_newest_ones_with_what_all_of_them_count() -> None:
    for originals in ([NEW, MIDDLE, OLD], [OLD, NEW, MIDDLE]):
        merged = merged_observation(originals, "All", "In short", "lesson")
        assert (merged.agent, merged.session_id, merged.timestamp) == (
            "engineer",
            "s3",
            NEW.timestamp,
        )
        assert (merged.issue_number, merged.category, merged.summary) == (29, "lesson", "In short")
        assert (merged.recall_count, merged.seen_count) == (5, 6)
        assert merged.relevance_score == 0.9
        assert merged.last_recalled == NOW - _DAY
        assert merged.extra == {"branch": "fix", "commit": "c3", "theirs": 1}
        assert set(merged.tags) == {"a", "b", "c"} and len(merged.tags) == 3
        assert merged.sources == tuple(it.id for it in originals)
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
def test_what_is_known_lasts_and_what_happened_does_not(category: str, lasting: bool) -> None:
    assert is_lasting(category) is lasting


def test_an_error_is_told_before_its_fixes_the_newest_of_these_first() -> None:
    error = note("e", "`pay` fails: rows are locked", 9, category="error")
    fixes = [
        note("f", "`pay` waits for locked rows", 8, category="code-change"),
        note("g", "`pay` asks again after a second", 7, category="lesson"),
    ]
    (told,) = merge([*fixes, error], Reason.ERROR_AND_FIX, "about")
    assert told.merged.content == (
        "`pay` fails: rows are locked\nFix: `pay` asks again after a second\n"
        "`pay` waits for locked rows"
    )
    assert (told.merged.category, told.about) == ("error", "about")
    assert told.merged.timestamp == fixes[1].timestamp
    assert [it.id for it in told.originals] == ["g", "f", "e"] == [*told.merged.sources]
    assert merge_whole([*fixes, error], Reason.ERROR_AND_FIX, "about") == told
