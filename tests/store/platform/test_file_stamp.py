"""A file as it was seen, and how long that may deceive."""

from __future__ import annotations

import pytest

from store.platform.file_stamp import FileStamp, is_fresh


@pytest.mark.parametrize("part", ["mtime", "ctime"])
@pytest.mark.parametrize(
    ("whole", "fresh_for"),
    [(1_000_000_000, 2_000_000_000), (3_000_000_000, 2_000_000_000), (3_000_000_007, 50_000_000)],
)
def test_for_how_long_a_stat_is_fresh(part: str, whole: int, fresh_for: int) -> None:
    stamp = FileStamp(9, whole, 0, 1)
    if part == "ctime":
        stamp = FileStamp(9, whole - 10**9, whole, 1)
    assert is_fresh(stamp, whole)
    assert is_fresh(stamp, whole + fresh_for)
    assert not is_fresh(stamp, whole + fresh_for + 1)
    assert is_fresh(stamp, whole - 10**12), "a file of the future is never trusted"
