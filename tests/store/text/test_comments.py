"""Comments in Markdown: taken out, however many begin and never end."""

from __future__ import annotations

import re
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from store.text.comments import without_comments


@given(st.lists(st.sampled_from(["<!--", "-->", "a", "\n", "-", ">"]), max_size=12))
def test_it_is_what_a_pattern_finds(parts: list[str]) -> None:
    text = "".join(parts)
    assert without_comments(text) == re.sub(r"<!--.*?-->", "", text, flags=re.S)


def test_comments_that_never_end_take_no_time() -> None:
    began = process_time()
    without_comments("<!--" * 500_000)  # as a pattern they took minutes
    assert process_time() - began < 1
