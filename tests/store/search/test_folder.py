"""The folder of an index: whose it is, when it is damaged, and what is cleared of it."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from store.search.folder import guarded, make_files_private
from store.search.trouble import reason_of


class PanicException(BaseException):
    """As the one that tantivy panics with, which no module offers."""


@pytest.mark.parametrize(
    ("error", "is_none"),
    [
        (ValueError("it failed"), True),
        (OSError(errno.EIO, "Input/output error"), True),
        (KeyError("a mistake of ours"), True),
        (PanicException("index out of bounds"), True),
        (KeyboardInterrupt(), False),
        (SystemExit(), False),
    ],
)
def test_what_fails_while_an_index_is_opened_is_damage(error: BaseException, is_none: bool) -> None:
    def make() -> object:
        raise error

    if is_none:
        assert guarded(make) is None  # type: ignore[arg-type]
        return
    with pytest.raises(type(error)):
        guarded(make)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", [0o600, 0o601, 0o610, 0o644, 0o666, 0o640, 0o400, 0o700])
def test_files_of_an_index_are_taken_from_everyone_else(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(mode)
    (tmp_path / "folder").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    make_files_private(tmp_path)
    found = stat.S_IMODE((tmp_path / "a").stat().st_mode)
    assert found == (0o600 if mode & 0o077 else mode)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o755


def test_a_folder_that_can_not_be_written_says_why(tmp_path: Path) -> None:
    said = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert reason_of(said, tmp_path) == "the disk is full"
    assert reason_of(ValueError("Os { code: 30, kind: Other }"), None) == "the disk is read-only"
    assert reason_of(ValueError("it failed"), None) == ""
