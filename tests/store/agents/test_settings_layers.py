"""Settings that stand in several files, and folders that are trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.agents.settings_layers import is_trusted


@pytest.mark.parametrize(
    ("rules", "is_so"),
    [
        ({"/a": "TRUST_FOLDER"}, True),
        ({"/a/b/x": "TRUST_PARENT"}, True),
        ({"/a/b/x": "TRUST_FOLDER"}, None),
        ({"/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST"}, False),
        ({"/a/b": "DO_NOT_TRUST", "/a": "TRUST_FOLDER"}, False),
        ({"/": "DO_NOT_TRUST"}, False),
        ({"/a": "unheard of"}, None),
        ({"/c": "TRUST_FOLDER"}, None),
        ({}, None),
    ],
)
def test_the_longest_rule_that_holds_a_folder_says_whether_it_is_trusted(
    rules: dict[str, object], is_so: bool | None
) -> None:
    assert is_trusted(Path("/a/b"), rules) is is_so


def test_a_folder_is_the_same_however_it_is_reached(tmp_path: Path) -> None:
    """Whichever of the two is named through a link: macOS has `/tmp` as one."""
    (tmp_path / "real" / "project").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    ways = (tmp_path / "real", tmp_path / "link")
    for ruled in ways:
        for asked in ways:
            rules: dict[str, object] = {str(ruled): "TRUST_FOLDER"}
            assert is_trusted(asked / "project", rules) is True
            beside: dict[str, object] = {str(ruled / "other"): "TRUST_PARENT"}
            assert is_trusted(asked / "project", beside) is True
