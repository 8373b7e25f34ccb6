from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.tui.widgets.token_gauge import Filling, bar

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
