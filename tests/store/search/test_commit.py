"""Committing several indexes at once."""

from __future__ import annotations

from typing import Any

import pytest
from tantivy import Document, Index, SchemaBuilder

from store.search.commit import commit_together


def _index() -> Index:
    builder = SchemaBuilder()
    builder.add_text_field("said")
    return Index(builder.build())


class _Broken:
    """A writer whose disk fails."""

    def commit(self) -> None:
        raise OSError("the disk is full")


def test_all_are_committed() -> None:
    indexes = [_index(), _index()]
    writers = [index.writer(heap_size=15_000_000, num_threads=1) for index in indexes]
    for writer in writers:
        writer.add_document(Document(said="lock"))
    commit_together(writers)
    for index in indexes:
        index.reload()
    assert [index.searcher().num_docs for index in indexes] == [1, 1]


@pytest.mark.parametrize("place", [0, 1])
def test_one_that_fails_is_told_once_the_others_are_done(place: int) -> None:
    index = _index()
    writers: list[Any] = [index.writer(heap_size=15_000_000, num_threads=1)]
    writers[0].add_document(Document(said="lock"))
    writers.insert(place, _Broken())
    with pytest.raises(OSError, match="the disk is full"):
        commit_together(writers)
    index.reload()
    assert index.searcher().num_docs == 1
