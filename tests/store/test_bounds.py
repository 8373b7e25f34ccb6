"""Files of other programs are read up to a bound, which itself is within it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from store.bounds import open_regular, read_regular
from tests.open_files import open_below


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of ten bytes."""
    path = tmp_path / "x"
    path.write_bytes(b"0123456789")
    return path


def test_as_many_bytes_as_may_be_are_read_and_one_more_is_refused(path: Path) -> None:
    assert read_regular(path, 10) == b"0123456789"
    with pytest.raises(OSError, match="too large") as caught:
        read_regular(path, 9)
    assert caught.value.errno == errno.EFBIG


def test_of_a_file_that_grows_meanwhile_no_more_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_regular(path, 10)
    with path.open("ab") as file:
        file.write(b"more")
    monkeypatch.setattr("store.bounds.open_regular", lambda *_: opened)
    assert read_regular(path, 10) == b"0123456789"


def test_what_is_no_file_is_refused_and_nothing_is_left_open(path: Path) -> None:
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    before = open_below(path.parent)
    for place, most in ((pipe, 10), (path.parent, 10), (path, 3)):
        with pytest.raises(OSError):
            open_regular(place, most)
    assert open_below(path.parent) == before
