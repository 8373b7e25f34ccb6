"""What a text links to."""

from __future__ import annotations

import pytest

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
