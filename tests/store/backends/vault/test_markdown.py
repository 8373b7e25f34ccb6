"""A vault's Markdown: any text is cut and joined to the same text, entries say what they hold."""

from __future__ import annotations

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
