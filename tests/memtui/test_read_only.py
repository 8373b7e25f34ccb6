"""The sentence for a memory that can't be written, whichever of its files was tried."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from memtui.read_only import name_store
from store.errors import ReadOnly

MEMORY = Path("/work/.agentx/memory")


@pytest.mark.parametrize("name", ["memory/issue-1.json", "state/clarifications/.lock"])
def test_the_memory_is_named(name: str) -> None:
    refused = PermissionError(errno.EACCES, "Permission denied", str(MEMORY.parent / name))
    with pytest.raises(ReadOnly) as raised, name_store(MEMORY):
        raise ReadOnly("A file could not be written.") from refused
    assert raised.value.message == (
        "The memory in /work/.agentx/memory can't be written: its permissions forbid it."
    )
