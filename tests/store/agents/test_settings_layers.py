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
