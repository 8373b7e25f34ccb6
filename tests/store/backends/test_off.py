"""Projects in which the user's settings turn memory off."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.location import find_store
from store.backends.off import off_by
from store.errors import MemoryOff
from tests.store.repositories import repository


@pytest.mark.parametrize(
    ("chosen", "pattern"),
    [
        ("", ""),
        ("{root}", "{root}"),
        ("{root}/**", "{root}/**"),
        ("{above}/*", "{above}/*"),
        ("{root}/other", ""),
        ("/nowhere, github.com/acme/*", "github.com/acme/*"),
        ("github.com/ACME/shop", "github.com/ACME/shop"),
        ("github.com/acm", ""),
    ],
)
def test_memory_is_off_by_a_folder_or_a_remote(tmp_path: Path, chosen: str, pattern: str) -> None:
    root = tmp_path / "shop"
    repository(root)("remote", "add", "origin", "git@github.com:acme/shop.git")
    below = root / "src"
    below.mkdir()
    names = {"root": root, "above": tmp_path}
    assert off_by(chosen.format(**names), below) == pattern.format(**names)


def test_what_is_off_opens_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".agentx" / "memory").mkdir(parents=True)
    with pytest.raises(MemoryOff) as refused:
        find_store(tmp_path, {"MEMTUI_MEMORY_OFF": str(tmp_path)})
    assert refused.value.message == f"Memory is off here: your setting memory_off has {tmp_path}."
    named = {"MEMTUI_MEMORY_OFF": str(tmp_path), "MEMTUI_DIR": str(tmp_path)}
    assert find_store(tmp_path, named) == tmp_path / ".agentx" / "memory"
