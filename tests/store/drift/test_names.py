"""The names in the code of a working tree."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from store.drift.names import index_names, load_names
from tests.store.repositories import repository


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_names_are_indexed_again_where_a_file_changed(tmp_path: Path) -> None:
    root, cache = tmp_path / "shop", tmp_path / "cache"
    repository(root)
    code = root / "queue.py"
    code.write_text("def drain_all(): ...\n")
    assert index_names(cache, root)
    assert not index_names(cache, root), "nothing changed"
    assert load_names(cache, [root]) == {"drain_all"}
    code.write_text("def drain(): ...\n")
    os.utime(code, ns=(2**62, 2**62))
    assert index_names(cache, root)
    assert load_names(cache, [root]) == {"drain"}


def test_without_a_repository_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("def drain_all(): ...\n")
    assert not index_names(tmp_path / "cache", tmp_path)
    assert not load_names(tmp_path / "cache", [tmp_path])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "queue.py").write_text("def drain_all(): ...\n")
    assert not index_names(tmp_path / "queue.py" / "cache", tmp_path)
