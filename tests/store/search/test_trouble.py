"""Why an index can't be written, and that finding out leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.search.trouble import is_damage, reason_of


def test_a_folder_that_can_not_be_written_says_why(tmp_path: Path) -> None:
    said = ValueError("An IO error occurred: 'No space left on device (os error 28)'")
    assert reason_of(said, tmp_path) == "the disk is full"
    assert reason_of(ValueError("Os { code: 30, kind: Other }"), None) == "the disk is read-only"
    assert reason_of(ValueError("it failed"), None) == ""


class PanicException(BaseException):
    """As the one that tantivy panics with, which no module offers."""


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
