"""The folder of an index: whose it is, when it is damaged, and what is cleared of it."""

from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from store.errors import StoreError
from store.search import folder as folder_module
from store.search.folder import guarded, held, make_files_private
from store.search.trouble import is_damage, reason_of


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


def test_the_lock_of_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with held(None, 0) as free:
        assert free
    with held(tmp_path, 0) as free:
        assert free
        with held(tmp_path, 0) as second:
            assert not second
        with held(tmp_path, 0) as third:
            assert not third, "the second did not let go of the first's"
    with held(tmp_path, 0) as free:
        assert free

    def refuse(*_: object) -> int:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(folder_module, "lock", refuse)
    with held(tmp_path, 0, optional=True) as free:
        assert not free
    with (
        pytest.raises(StoreError, match=r"^The index can't be written: Permission denied\.$"),
        held(tmp_path, 0),
    ):
        pass


def test_a_folder_that_can_not_be_written_says_why(tmp_path: Path) -> None:
    said = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert reason_of(said, tmp_path) == "the disk is full"
    assert reason_of(ValueError("Os { code: 30, kind: Other }"), None) == "the disk is read-only"
    assert reason_of(ValueError("it failed"), None) == ""


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (PanicException("index out of bounds"), True),
        (ValueError("it failed"), True),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "it is no text"), False),
        (KeyboardInterrupt(), False),
        (OSError(28, "No space left on device"), False),
    ],
)
def test_a_panic_and_what_tantivy_refuses_are_damage(error: BaseException, is_told: bool) -> None:
    assert is_damage(error) is is_told
