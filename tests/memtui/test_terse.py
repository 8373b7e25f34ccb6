"""Fewer bytes for the terminal: what one sees is the same."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.frame.terse import terse

RED, BLUE, DARK = "38;2;255;0;0", "38;5;12", "48;2;18;21;26"
STYLES = (f"{RED};{DARK}", f"{BLUE};{DARK}", f"{RED};48;5;1", f"1;{RED};{DARK}", RED, DARK, "7")
_CODES = re.compile(r"(?<![\d;])[17](?!\d)|[34]8;(?:2;\d+;\d+;\d+|5;\d+)")


def seen(text: str) -> list[tuple[str, frozenset[str]]]:
    """Each letter and each move of the cursor, with the style that a terminal has there."""
    style: dict[str, str] = {}
    found = []
    for code, move, letter in re.findall(r"\x1b\[([\d;]*)m|(\x1b\[\d+;\d+H)|(.)", text, re.S):
        if move or letter:
            found.append((move or letter, frozenset(style.values())))
        elif code in ("", "0"):
            style.clear()
        else:
            style |= {name[:2]: name for name in _CODES.findall(code)}
            for default, color in (("39", "38"), ("49", "48")):
                if default in code.split(";"):
                    style.pop(color, None)
    return found


def letters(text: str) -> list[tuple[str, frozenset[str] | None]]:
    """As `seen`, but of moves without the style there, which nobody sees."""
    return [(letter, None if letter[0] == "\x1b" else style) for letter, style in seen(text)]


def test_only_what_differs_is_written() -> None:
    red, blue = f"\x1b[{RED};{DARK}m", f"\x1b[{BLUE};{DARK}m"
    frame = f"{red}a\x1b[0m{red}b\x1b[0m\x1b[3;4H{blue}c\x1b[0m"
    assert terse(frame) == f"{red}ab\x1b[3;4H\x1b[{BLUE}mc\x1b[0m"
    bold = f"\x1b[1;{RED};{DARK}ma\x1b[0m{red}b\x1b[0m"
    assert terse(bold) == bold


PIECE = st.tuples(
    st.sampled_from(["", "\x1b[2;7H", "\r\n"]), st.sampled_from(["", *STYLES]), st.text("ab ")
)


@given(st.lists(PIECE))
def test_it_looks_the_same(pieces: list[tuple[str, str, str]]) -> None:
    frame = "".join(
        f"{move}\x1b[{style}m{text}\x1b[0m" if style else f"{move}{text}"
        for move, style, text in pieces
    )
    again = terse(frame)
    assert letters(again) == letters(frame)
    assert len(again) <= len(frame)
