"""Cutting what is too long for one observation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.exchange.long_text import cut_whole, pieces
from store.model import MAX_CONTENT


def unchanged(text: str) -> str:
    return text


def test_what_fits_is_left_as_it_is() -> None:
    assert pieces("  said\n", str.upper) == ["  said\n"]


def test_what_fits_once_it_is_clean_is_one_piece() -> None:
    assert pieces("x" * 3_000, lambda text: text[:10]) == ["x" * 10]


def test_a_text_of_as_much_as_fits_is_one_piece() -> None:
    whole = "word " * (MAX_CONTENT // 5)
    assert pieces(whole, str.upper) == [whole]
    assert pieces(f"{whole}more", lambda text: text.removesuffix("more")) == [whole]
    assert cut_whole(whole) == [("", whole)]
    assert len(cut_whole(f"{whole}.")) == 2


def test_a_break_is_taken_from_the_middle_of_a_piece_on() -> None:
    room = len(pieces("x" * 3_000, unchanged)[0])
    for at in (room // 2 - 1, room // 2):
        text = f"{'x' * at} {'x' * 3_000}"
        assert (len(pieces(text, unchanged)[0]) == at + 1) is (at == room // 2)


def test_where_a_mark_begins_or_ends_a_text_may_be_cut() -> None:
    mark = "[redacted some-rule 1a2b]"
    room = len(pieces("x" * 3_000, unchanged)[0])
    for before in (room, room - len(mark)):
        assert len(pieces(f"{'x' * before}{mark}{'y' * 900}", unchanged)[0]) == room


def test_a_paragraph_s_end_is_the_best_place() -> None:
    one, two = "one. " * 300, "two. " * 300
    assert pieces(f"{one}\n\n{two}", unchanged) == [one, two]


def test_a_mark_is_never_cut() -> None:
    mark = "[redacted some-rule 1a2b]"
    found = pieces("x" * 1_890 + mark + "y" * 500, unchanged)
    assert found == ["x" * 1_890, mark + "y" * 500]
    found = pieces(f"{'x' * 1_000} {'x' * 400}{mark}{'y' * 900}", unchanged)
    assert found == ["x" * 1_000 + " ", "x" * 400 + mark + "y" * 900]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(("word", " ", ". ", "\n", "\n\n", "x" * 700)), max_size=60))
def test_nothing_but_white_space_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    found = pieces(text, unchanged)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(piece) <= MAX_CONTENT for piece in found)


def test_what_is_blank_makes_no_piece() -> None:
    found = pieces("One." + " " * 3 * MAX_CONTENT + "Two.", str)
    assert [it.strip() for it in found] == ["One.", "Two."]


@pytest.mark.parametrize("gap", [" ", "   ", "\n\n\n  ", ".  \n", " \n \n "])
def test_all_white_space_around_a_cut_stands_before_the_next_piece(gap: str) -> None:
    room = len(pieces("x" * 3_000, unchanged)[0])
    for before in (room - 3, room - 1, room):
        text = f"{'x' * before}{gap}{'y' * 1_900}{gap}{'z' * 1_950}"
        found = cut_whole(text)
        assert "".join(f"{space}{piece}" for space, piece in found) == text
        assert all(piece == piece.strip() for _, piece in found)
