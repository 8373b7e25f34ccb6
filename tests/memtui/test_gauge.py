from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.widgets.gauge import Forecast, Level, bar, line_of

TOKENS = st.dictionaries(st.sampled_from(["decision", "error", "own-word"]), st.integers(0, 10**7))


@given(TOKENS, st.integers(0, 10**6), st.integers(1, 60))
def test_the_bar_is_as_wide_as_it_should_be(tokens: dict[str, int], limit: int, width: int) -> None:
    assert bar(tokens, limit, width).cell_length == width


def test_a_line_that_is_too_long_loses_whole_parts() -> None:
    forecast = Forecast(
        [Level({"error": 90}, 100, is_full=True)],
        "Next session",
        included=("12 memories", "2 messages"),
        left_out=3,
        client="Claude Code",
        branch="feature/42-login",
        missing="hooks missing, S adds",
    )
    ends = ("tokens", "hooks missing", "hooks missing, S adds")
    for width in range(16, 120):
        line = line_of(forecast, width).plain
        assert len(line) <= width
        assert line.endswith(ends)
    assert line_of(forecast, 77).plain == (
        "Claude Code: 12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )
    assert line_of(forecast, 50).plain == "Claude Code: 90 of 100 tokens · hooks missing"
    assert line_of(forecast, 60).plain == (
        "12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )
