"""Memory is for its user alone: what is new can't be read by others, and theirs is not used."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from memtui.words.notices import sentence
from store.errors import StoreError
from store.notice import quoted
from store.platform.write import make_private
from tests.store.factories import make_memory, observation


@pytest.fixture
def lax() -> object:
    """A umask that lets everyone in."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("lax")
def test_all_that_is_new_is_for_its_user_alone(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        ids = memory.store([observation("One"), observation("Two")])
        memory.apply(memory.plan.archive(ids[:1]))
        memory.recall.inject(memory.recall.plan())
        memory.index.settle()
    places = [tmp_path / ".agentx", *memory.path.rglob("*"), memory.path]
    cache = [tmp_path / "cache", *(tmp_path / "cache").iterdir()]
    assert {"recalls", "operations", "archive", ".lock"} <= {place.name for place in places}
    for place in (*places, *cache):
        mode = stat.S_IMODE(place.stat().st_mode)
        assert (place, oct(mode)) == (place, oct(0o700 if place.is_dir() else 0o600))


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
