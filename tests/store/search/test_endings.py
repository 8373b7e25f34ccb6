"""The shortest ending of an id that no other has."""

from __future__ import annotations

from itertools import product

import pytest
from tantivy import Document, Index, SchemaBuilder, Searcher

from store.search.analyzers import backwards
from store.search.documents import Endings


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
MANY = [f"obs-{''.join(it)}" for it in product("ab1", repeat=5)]
TAILS = ["short", *(f"{''.join(it)}-tail" for it in product("abcdef", repeat=3))]
"""The first has a short ending, the others have a long one in common."""


@pytest.mark.parametrize("ids", [FEW, ALIKE, MANY, TAILS, FEW + ALIKE + MANY])
def test_it_is_the_shortest_that_no_other_has(ids: list[str]) -> None:
    endings = Endings(searcher_of(ids))
    for identifier in (*ids, *reversed(ids)):
        assert endings.of(identifier) == shortest(ids, identifier)
