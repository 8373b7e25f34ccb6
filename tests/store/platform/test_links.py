"""The links that lead to a path of a memory, wherever on the way they stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.errors import Unopened, Unreadable
from store.platform.links import link_on_way
from store.platform.read import read_bytes


@pytest.mark.parametrize("linked", ["a/b/file", "a/b", "a"])
def test_a_link_is_found_wherever_it_stands_on_the_way(tmp_path: Path, linked: str) -> None:
    root, elsewhere = tmp_path / "memory", tmp_path / "elsewhere"
    (elsewhere / "b").mkdir(parents=True)
    (root / linked).parent.mkdir(parents=True, exist_ok=True)
    (root / linked).symlink_to(elsewhere)
    assert link_on_way(root / "a" / "b" / "file", root) == root / linked


@pytest.mark.parametrize(
    ("linked", "may_be_well"),
    [("archive/a.json", False), ("archive", True), ("", True), ("..", True)],
)
def test_a_link_is_refused_for_good_and_what_stands_behind_one_may_be_well(
    tmp_path: Path, linked: str, may_be_well: bool
) -> None:
    root = tmp_path / "project" / ".agentx" / "memory"
    place = Path(os.path.normpath(root / linked))
    place.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    held = elsewhere / (root / "archive" / "a.json").relative_to(place)
    held.parent.mkdir(parents=True, exist_ok=True)
    if held != elsewhere:
        held.write_text("{}")
    else:
        held.touch()
    place.symlink_to(elsewhere)
    with pytest.raises(Unreadable, match=f"{place.name} is a symbolic link") as refused:
        read_bytes(root / "archive" / "a.json", root)
    assert isinstance(refused.value, Unopened) is may_be_well
