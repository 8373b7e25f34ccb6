"""What a text in Markdown links to, and the text without its comments."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text.comments import without_comments
from store.text.wiki_links import links_in


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See [[Lock rules]] and [[1773679871839]].", ("Lock rules", "1773679871839")),
        ("![[notes/Shop.md#Plan|the shop]] [[Shop]]", ("notes/Shop.md", "Shop")),
        ("[[a]] [[a]] [[ b ]]", ("a", "b")),
        ("[x](y) [[]] [[\n]] [[a[b]] ]]", ()),
        ("no link", ()),
    ],
)
def test_a_text_links_to_ids_and_titles(text: str, links: tuple[str, ...]) -> None:
    assert links_in(text) == links


# Comments in Markdown: taken out, however many begin and never end.


@given(st.lists(st.sampled_from(["<!--", "-->", "a", "\n", "-", ">"]), max_size=12))
def test_it_is_what_a_pattern_finds(parts: list[str]) -> None:
    text = "".join(parts)
    assert without_comments(text) == re.sub(r"<!--.*?-->", "", text, flags=re.S)


def test_comments_that_never_end_take_no_time() -> None:
    began = process_time()
    without_comments("<!--" * 500_000)  # as a pattern they took minutes
    assert process_time() - began < 1
