"""Stamps tell which issues changed, whatever changed them."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.stamps import changes_since
from tests.store.factories import record, write_issue


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_issue(tmp_path, 29, record("a"))


def test_a_fresh_file_is_compared_by_its_content(file: Path) -> None:
    """An edit that leaves size, times and inode the same is seen none the less."""
    info = file.stat()
    known = changes_since(file.parent, {}, info.st_mtime_ns).stamps
    assert len(known[29].split(" ")) == 6
    assert not changes_since(file.parent, known).issues
    head, _, trusted = known[29].rpartition(" ")
    assert changes_since(file.parent, {29: f"{head} {trusted[::-1]}"}).issues == {29}
