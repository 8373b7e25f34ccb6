"""What one memory has of the several that it stands for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from store.compaction.compact import _flattened
from store.compaction.merge import (
    is_lasting,
    merge,
    merge_whole,
    merged_observation,
    missing_from,
    newest_first,
)
from store.compaction.model import Cluster, LeftOut, Reason
from store.model import UNDATED
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


def test_the_newest_come_first_and_of_one_instant_by_id() -> None:
    held = [OLD, note("b", "x", 8), note("a", "x", 8), NEW, note("z", "x", timestamp=UNDATED)]
    assert [it.id for it in newest_first(held)] == ["new", "a", "b", "old", "z"]


@pytest.mark.parametrize(
    ("category", "lasting"),
    [("decision", True), ("key-fact", True), ("lesson", True), ("procedure", True),
     ("project", True), ("error", False), ("code-change", False), ("handoff", False),
     ("task", False), ("theirs", False)],
)  # fmt: skip
def test_what_is_known_lasts_and_what_happened_does_not(category: str, lasting: bool) -> None:
    assert is_lasting(category) is lasting


def test_what_is_told_whole_keeps_its_words_and_summary() -> None:
    said = "Retries wait 5 s in `src/lock.py`, whoever asks."
    newest = note("a", f"  {said}\n", 8, summary="Retries")
    (same,) = merge([newest, note("b", said, 9)], Reason.DUPLICATE, "")
    assert (same.merged.content, same.merged.summary) == (f"  {said}\n", "Retries")
    fuller = note("b", f"{said} The gate too waits for its turn.", 9, summary="Waits")
    plain = note("a", said, 8, summary="Retries")
    (more,) = merge([plain, fuller], Reason.DUPLICATE, "")
    assert (more.merged.content, more.merged.summary) == (
        f"{said}\nThe gate too waits for its turn.",
        said,
    )
    unnamed = plain._replace(summary="")
    (same,) = merge([unnamed, note("b", said, 9)], Reason.DUPLICATE, "")
    assert same.merged.summary == said


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


def test_what_does_not_fit_with_all_is_not_told_whole() -> None:
    pair = [note("a", "a" * 1_200), note("b", "b" * 1_200, 31)]
    assert merge_whole(pair, Reason.RELATED, "") is None
    assert merge(pair, Reason.RELATED, "") == []
    other = [note("a", "Menus open slowly."), note("b", "The lock is kept.", 31)]
    assert merge(other, Reason.DUPLICATE, "") == []


def test_what_a_text_lacks_of_a_statement() -> None:
    held = "The lock of src/lock.py waits 30 s"
    assert missing_from(held, "The lock waits 30 s") == ()
    assert missing_from(held, "The shop of `open_it` waits 5 s") == ("5s", "open_it", "shop")


def _part(name: str, *said: str) -> Cluster:
    """A merged memory of some, each of which says something that is left out."""
    originals = tuple(note(f"{name}{at}", it, 40 + at) for at, it in enumerate(said))
    left = tuple(
        LeftOut(observation_id=it.id, statement=it.content, instead="x") for it in originals
    )
    merged = note(name, f"All of {name}")
    return Cluster(reason=Reason.DUPLICATE, originals=originals, merged=merged, left_out=left)


def test_a_cluster_of_two_merged_before_tells_all_that_both_left_out() -> None:
    one, two = _part("p", "Menus open.", "Menus close."), _part("q", "Dishes wait.", "Dishes go.")
    third = note("c", "Clerks count.", 39)
    left = (
        LeftOut(observation_id=two.id, statement="Dishes go.", instead="y", superseded=True,
                missing=("go",)),
        LeftOut(observation_id=one.id, statement="Menus close.", instead="y"),
        LeftOut(observation_id="c", statement="Clerks count.", instead="y"),
    )  # fmt: skip
    joined = Cluster(
        reason=Reason.RELATED,
        originals=(third, one.merged, two.merged),
        merged=note("m", "All"),
        about="src/menu.py",
        left_out=left,
    )
    whole = _flattened(joined, [one, two])
    assert whole is not None
    assert [it.id for it in whole.originals] == ["c", "p0", "q0", "p1", "q1"]
    assert whole.merged == joined.merged._replace(sources=("c", "p0", "q0", "p1", "q1"))
    assert (whole.reason, whole.about) == (Reason.RELATED, "src/menu.py")
    assert whole.left_out == (
        *one.left_out,
        *two.left_out,
        replace(left[0], observation_id="q1"),
        replace(left[1], observation_id="p1"),
        left[2],
    )
    assert _flattened(joined, []) is joined
