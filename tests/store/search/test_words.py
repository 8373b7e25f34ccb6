"""How text becomes search terms, and ids endings."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tantivy import Document, Index, SchemaBuilder, Searcher

from store.search.analyzers import backwards
from store.search.documents import Endings
from tests.store.factories import make_memory, observation


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("把应用刷新token一次，5分钟后", "token"),
        ("把应用刷新token一次，5分钟后", "5分钟"),
        ("ระบบค้นหาช้า", "ค้นหา"),
        ("Templates of C++ differ", "c++"),
        ("Delegates of C# differ", "C#"),
        ("ﾊﾝｶｸのまま", "ハンカク"),
        ("ハンカクのまま", "ﾊﾝｶｸ"),
    ],
)
def test_words_between_odd_characters_are_found(tmp_path: Path, text: str, query: str) -> None:
    memory = make_memory(tmp_path)
    memory.add([observation(text), observation("Something else in C, in the same memory")])
    assert [hit.entry.summary for hit in memory.search(query).hits] == [text]


def searcher_of(ids: list[str]) -> Searcher:
    """A searcher over nothing but ids, written backwards as the index has them."""
    builder = SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    index = Index(builder.build())
    writer = index.writer(num_threads=1)
    for it in ids:
        document = Document()
        document.add_text("id", backwards(it))
        writer.add_document(document)
    writer.commit()
    index.reload()
    return index.searcher()


def shortest(ids: list[str], identifier: str) -> str:
    """What it should be, by trying each length."""
    for length in range(3, len(identifier)):
        ending = identifier[-length:]
        if ending[0].isalnum() and sum(it.endswith(ending) for it in ids) == 1:
            return ending
    return identifier


FEW = ["obs-a-1-17-abc", "obs-a-1-17-xbc", "abc", "s#1", "t#1"]
ALIKE = [f"{name}#{at}" for name, at in product(("one", "two", "ten", "o-e"), range(40))]
TAILS = ["short", *(f"{''.join(it)}-tail" for it in product("abcde", repeat=3))]
"""The first has a short ending, the others have a long one in common."""


@pytest.mark.parametrize("ids", [FEW, ALIKE, TAILS, FEW + ALIKE])
def test_it_is_the_shortest_that_no_other_has(ids: list[str]) -> None:
    endings = Endings(searcher_of(ids))
    for identifier in (*ids, *reversed(ids)):
        assert endings.of(identifier) == shortest(ids, identifier)
