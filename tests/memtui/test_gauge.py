from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.tui.browse.next_line import line_of
from memtui.tui.injection.gauge import levels
from memtui.tui.widgets.token_gauge import Filling, bar
from store.recall.values import Recall

TOKENS = st.dictionaries(st.sampled_from(["decision", "error", "own-word"]), st.integers(0, 10**7))


def test_each_category_has_its_segment_largest_first() -> None:
    drawn = bar(Filling({"error": 250, "decision": 500}, 1000), 20)
    assert [(span.start, span.end, span.style) for span in drawn.spans] == [
        (0, 10, "$category-decision"),
        (10, 15, "$category-error"),
        (15, 20, "$gauge-track"),
    ]


def test_past_the_limit_a_mark_shows_where_it_lies() -> None:
    drawn = bar(Filling({"error": 2000}, 500), 20)
    assert drawn.plain.index("▏") == 5
    assert "$gauge-track" not in {span.style for span in drawn.spans}


def test_little_is_still_seen() -> None:
    assert bar(Filling({"error": 1}, 20_000), 20).plain.startswith("▏")


@given(TOKENS, st.integers(0, 10**6), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_the_bar_is_as_wide_as_it_should_be(tokens: dict[str, int], limit: int, width: int) -> None:
    assert bar(Filling(tokens, limit), width).cell_length == width


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "Next session of Claude Code on feature/42: 31 memories, 4,989 of 5,000 tokens"),
        (70, "Claude Code on feature/42: 31 memories, 4,989 of 5,000 tokens"),
        (50, "Claude Code: 31 memories, 4,989 of 5,000 tokens"),
        (36, "31 memories, 4,989 of 5,000 tokens"),
    ],
)
def test_a_line_says_what_the_gauge_does_and_whose_it_is_while_there_is_room(
    width: int, line: str
) -> None:
    filling = Filling(
        {"error": 4_989},
        5_000,
        "Next session",
        told=("31 memories",),
        whose="Claude Code",
        branch="feature/42",
    )
    assert line_of(filling, width).plain == line


def test_the_line_warns_where_memories_are_left_out_and_says_what_is_missing() -> None:
    filling = Filling(
        {"error": 90}, 100, told=("1 memory",), left_out=3, lacks="hooks missing", whose="Codex"
    )
    line = line_of(filling, 76)
    assert line.plain == ("Budget of Codex: 1 memory, 3 left out, 90 of 100 tokens · hooks missing")
    assert "$text-warning" in {span.style for span in line.spans}
    narrow = line_of(filling, 52)
    assert narrow.plain == "Codex: 1 memory, 90 of 100 tokens · hooks missing"
    assert "$text-warning" in {span.style for span in narrow.spans}


@pytest.mark.parametrize("left_out", [0, 3])
def test_figures_are_amber_where_memories_are_left_out_and_nowhere_else(left_out: int) -> None:
    nearly_full = Filling({"error": 100}, 100, left_out=left_out)
    assert (nearly_full.ink == "$text-warning") == bool(left_out)
    found = levels(Recall(tokens=100, budget=100, left_out=left_out))
    assert [level.full for level in found] == [bool(left_out)] * len(found)


def test_a_line_that_is_too_long_loses_whole_parts() -> None:
    filling = Filling(
        {"error": 90},
        100,
        "Next session",
        told=("12 memories", "2 messages"),
        left_out=3,
        whose="Claude Code",
        branch="feature/42-login",
        lacks="hooks missing, S adds",
    )
    ends = ("tokens", "hooks missing", "hooks missing, S adds")
    for width in range(16, 120):
        line = line_of(filling, width).plain
        assert len(line) <= width
        assert line.endswith(ends)
    assert line_of(filling, 77).plain == (
        "Claude Code: 12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )
    assert line_of(filling, 50).plain == "Claude Code: 90 of 100 tokens · hooks missing"
    assert line_of(filling, 60).plain == (
        "12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )
