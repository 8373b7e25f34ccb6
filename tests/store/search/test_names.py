"""Documents by the files and identifiers that they name."""

from __future__ import annotations

from pathlib import Path

from tantivy import Searcher

from store import open_memory
from store.backends.files.backend import FilesBackend
from store.recall.files import named_in
from store.search.documents import observation_of
from store.search.index import SearchIndex
from store.search.names import naming
from tests.store.recall.makers import observation


def test_names_find_what_they_stand_in_as_a_whole(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        memory.store(
            [
                observation("merge_records keys on the email.", 1),
                observation("Records are merged: merge the records.", 2),
                observation("See store/lock.py for the lock.", 3),
                observation("The JsonStore keeps it.", 4),
            ]
        )
    index = SearchIndex(FilesBackend(tmp_path / "memory"), None)
    index.catch_up()

    def found(task: str) -> list[str]:
        def asked(searcher: Searcher) -> list[str]:
            addresses = naming(searcher, index.schema, named_in(task))
            return [observation_of(searcher.doc(it)).content[:5] for it in addresses]

        return index.ask(asked)

    assert found("fix merge_records") == ["merge"]
    assert found("lock.py hangs") == ["See s"]
    assert found("why JsonStore, not `merge_records`?") == ["The J", "merge"]
    assert found("merge the records") == []
    assert found("nothing_known here") == []


def test_the_rarest_name_is_looked_for_first_by_its_rarest_word(tmp_path: Path) -> None:
    with open_memory(tmp_path / "memory", cache=tmp_path / "cache") as memory:
        told = [observation(f"The lease number {number} of it.", number) for number in range(6)]
        told += [observation("lease_of_row is kept.", 8), observation("QueueTick ticks.", 9)]
        memory.store([*told, observation("QueueTick ticks on.", 10)])
    index = SearchIndex(FilesBackend(tmp_path / "memory"), None)
    index.catch_up()

    def asked(searcher: Searcher) -> list[str]:
        addresses = naming(searcher, index.schema, ["QueueTick", "lease_of_row", "lease_of_all"])
        return [observation_of(searcher.doc(it)).content[:9] for it in addresses]

    assert index.ask(asked) == ["lease_of_", "QueueTick", "QueueTick"]
