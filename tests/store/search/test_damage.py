"""Bits that flip in the index: no answer is another than the record's."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.store.factories import make_memory, observation

TEXTS = [f"Decision {at}: the lock of store {at} waits {at + 3} seconds." for at in range(40)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_noticed", [True, False])
def test_a_bit_that_flips_in_the_open_index_changes_no_answer(
    tmp_path: Path, seed: int, is_noticed: bool
) -> None:
    """Also where the file's times tell nothing of it, what is shown is as it was written."""
    with make_memory(tmp_path) as memory:
        memory.store([observation(text) for text in TEXTS])
        memory.index.settle()
        held = {it.id: it.content for it in memory.by_issue(29)}
        endings = {".store"} if not is_noticed else {".store", ".idx", ".pos", ".term", ".fast"}
        files = sorted(it for it in (tmp_path / "cache").rglob("*") if it.suffix in endings)
        chance = random.Random(seed)
        path = chance.choice(files)
        was = path.stat()
        with path.open("r+b") as file:
            data = bytearray(file.read())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            file.seek(0)
            file.write(data)
        if not is_noticed:
            os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        found = memory.search("lock", 100)
        assert found.total == len(TEXTS)
        for hit in found.hits:
            assert hit.entry.summary == held[hit.entry.id]
        for identifier, content in held.items():
            assert memory.get(identifier).content == content
