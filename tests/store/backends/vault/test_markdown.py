"""A vault's Markdown: any text is cut and joined to the same text, entries say what they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.backends.vault.markdown import Entry, Kind, parse, render, split

ENTRY = """\
<!-- id:1773679871839 -->
## 2026-03-16T16:51 · #react #typescript #components

Free-form memory content in markdown.

- one
- two

---
"""
LINES = st.sampled_from(
    ["", " ", "---", "<!-- id:1773679871839 -->", "<!-- id:17 -->  ", "<!-- a note -->",
     "## 2026-03-16T16:51 · #a #b-c", "## 2026-03-16T16:51", "## Anything", "# Decisions",
     "- [ ] Do it", "- [x] Done", "  more of it", "Free text with #tag", "\\---", "```",
     "key: value\r", "\u2028\x0c"]
)  # fmt: skip


@given(lines=st.lists(LINES, max_size=25), end=st.sampled_from(["", "\n"]), tasks=st.booleans())
def test_the_pieces_of_any_text_are_that_text(lines: list[str], end: str, tasks: bool) -> None:
    text = "\n".join(lines) + end
    assert "".join(piece.text for piece in split(text, tasks=tasks)) == text


@given(lines=st.lists(LINES.map(str.rstrip), min_size=1, max_size=8))
def test_lines_that_look_like_marks_and_rules_are_content(lines: list[str]) -> None:
    content = "\n".join(lines).replace("\r", "").strip()
    if not content:
        return
    pieces = split(render(Entry("17", "2026-03-16T16:51", ("a",), content)) + "\n" + ENTRY)
    assert [piece.kind for piece in pieces] == [Kind.ENTRY, Kind.ENTRY]
    if not {"\u2028", "\x0c"} & set(content):
        assert parse(pieces[0]).content == content


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# Decisions\n\n" + ENTRY, [Kind.FILLER, Kind.ENTRY]),
        (ENTRY + "\nBy hand.\n", [Kind.ENTRY, Kind.SECTION]),
        ("One\n\n## Two\ntext\n", [Kind.SECTION, Kind.SECTION]),
        (ENTRY.replace("\n\n---", "") + ENTRY, [Kind.ENTRY, Kind.ENTRY]),
        ("---\ntitle: x\n---\n<!-- only said -->\n", [Kind.FILLER, Kind.FILLER]),
        (ENTRY.replace("- one", "---\n- one"), [Kind.ENTRY, Kind.SECTION]),
    ],
)
def test_what_stands_between_entries_is_a_piece_too(text: str, kinds: list[Kind]) -> None:
    assert [piece.kind for piece in split(text)] == kinds
