"""Which files of a project are gone: what sessions saw of other places is not judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.recall.touched import gone_from


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("src/lock.py", False),
        ("src/old.py", True),
        ("old.py", True),
        ("lib/old.py", None),
        ("/src/old.py", None),
        ("~/old.py", None),
        ("../old.py", None),
        ("src/../old.py", None),
        ("src/lib/../lock.py", None),
        ("src/..", None),
        ("src/lib/old.py", True),
        ("src", False),
        ("lib", True),
        ("src/old\0.py", None),
        ("", None),
    ],
)
def test_a_file_is_gone_where_the_folder_that_its_path_begins_with_stands_without_it(
    tmp_path: Path, path: str, gone: bool | None
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lock.py").touch()
    (tmp_path / "other" / "lib").mkdir(parents=True)
    assert gone_from([tmp_path])(path) is gone
    assert gone_from([])(path) is None
    (tmp_path / "other" / "old.py").touch()
    assert gone_from([tmp_path, tmp_path / "other"])("old.py") is False
    assert gone_from([tmp_path / "other", tmp_path])("lib/new.py") is True
    assert gone_from([tmp_path / "other", tmp_path])("src/lock.py") is False
