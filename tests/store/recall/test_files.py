"""What memory knows of files, and how that ranks them."""

from __future__ import annotations

import pytest

from store.recall.files import mention_of_file, subjects_of
from tests.store.recall.makers import observation


@pytest.mark.parametrize(
    ("category", "said", "about"),
    [
        ("code-change", "Renamed the gate: a/lock.py and b/io.py moved", ("a/lock.py",)),
        ("code-change", "a/lock.py: moved to b/io.py", ("a/lock.py",)),
        ("code-change", "Moved a/lock.py to b/io.py: late", ("a/lock.py", "b/io.py")),
        ("code-change", "a/lock.py moved.\nFiles: b/io.py", ("a/lock.py",)),
        (
            "code-change",
            "Waits late: it hung.\nFiles: b/io.py, ./a/lock.py",
            ("b/io.py", "a/lock.py"),
        ),
        ("code-change", "Nothing of files", ()),
        ("error", "Fails: a/lock.py, then b/io.py", ("a/lock.py", "b/io.py")),
        ("decision", "a/lock.py waits for b/io.py", ("a/lock.py",)),
        ("decision", "`a/lock.py` waits", ()),
        ("decision", "Waits for a/lock.py", ()),
        ("decision", "", ()),
        ("lesson", "Wait.\nChanged in this session: a/lock.py, b/io.py", ("a/lock.py", "b/io.py")),
    ],
)
def test_which_files_a_memory_is_about(category: str, said: str, about: tuple[str, ...]) -> None:
    assert subjects_of(observation(said, category=category)) == about


def test_a_task_names_a_file_by_path_or_name() -> None:
    assert mention_of_file("store/disk/files.py", "fix store/disk/files.py") == 1.0
    assert 0 < mention_of_file("store/disk/files.py", "fix files.py now") < 1
    assert mention_of_file("store/disk/files.py", "fix profiles.py now") == 0
    assert mention_of_file("store/disk/files.py", "fix it") == 0
