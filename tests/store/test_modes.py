"""Memory is for its user alone: what is new can't be read by others, and theirs is not used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.words.notices import sentence
from store.errors import StoreError
from store.notice import quoted
from store.platform.write import make_private
from tests.store.factories import make_memory


def test_cache_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.geteuid()
    make_private(tmp_path / "cache" / "index")
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        make_private(tmp_path / "cache" / "index")
    with make_memory(tmp_path) as memory:
        memory.path.mkdir(parents=True)
        assert memory.search("one").total == 0
        assert memory.index.index.folder is None
        assert "belongs to another user" in sentence(memory.search("one").notice or quoted(""))
