"""Cutting what is too long for one observation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.exchange.long_text import pieces
from store.model import MAX_CONTENT


def test_a_mark_is_never_cut() -> None:
    mark = "[redacted some-rule 1a2b]"
    found = pieces("x" * 1_890 + mark + "y" * 500)
    assert found == ["x" * 1_890, mark + "y" * 500]
    found = pieces(f"{'x' * 1_000} {'x' * 400}{mark}{'y' * 900}")
    assert found == ["x" * 1_000 + " ", "x" * 400 + mark + "y" * 900]


@given(st.lists(st.sampled_from(("word", " ", ". ", "\n", "\n\n", "x" * 700)), max_size=60))
def test_nothing_but_white_space_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = pieces(text)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(piece) <= MAX_CONTENT for piece in found)
