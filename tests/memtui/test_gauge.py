from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.tui.browse.next_line import line_of
from memtui.tui.widgets.token_gauge import Filling, bar

TOKENS = st.dictionaries(st.sampled_from(["decision", "error", "own-word"]), st.integers(0, 10**7))


@given(TOKENS, st.integers(0, 10**6), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_the_bar_is_as_wide_as_it_should_be(tokens: dict[str, int], limit: int, width: int) -> None:
    assert bar(Filling(tokens, limit), width).cell_length == width


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
