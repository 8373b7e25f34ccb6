"""Files that a task may touch: of the session most about the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.model import CHANGED, REMOVED
from store.recall.touched import files_to_touch, gone_from
from store.recall.values import Candidate, Kind
from tests.store.recall.makers import observation


def session(
    name: str, changed: str, removed: str = "", *, days: float = 1, likeness: float = 1.0
) -> Candidate:
    extra = {CHANGED: dict.fromkeys(changed.split(), 1), REMOVED: removed.split()}
    digest = observation("", days=days, session_id=name, category="session", extra=extra)
    return Candidate(digest, {"bm25": likeness}, Kind.SESSION)


def paths(*sessions: Candidate, task: str = "it hangs") -> list[str]:
    return [hint.path for hint in files_to_touch(sessions, task)]


def test_the_files_of_the_session_most_alike_are_listed_with_its_day() -> None:
    sessions = [
        session("lock", "src/lock.py src/io.py", days=2),
        session("page", "src/page.py src/lock.py", likeness=0.8),
    ]
    assert files_to_touch(sessions, "it hangs") == (
        ("src/io.py", ("27 Feb",)),
        ("src/lock.py", ("27 Feb",)),
    )
    assert files_to_touch([], "it hangs") == ()


@pytest.mark.parametrize("task", ["src/lock.py hangs", "lock.py hangs", "page.py hangs like it"])
def test_nothing_is_listed_where_the_task_names_files(task: str) -> None:
    assert paths(session("lock", "src/lock.py src/io.py"), task=task) == []


def test_nothing_is_listed_of_a_session_that_changed_many_files_besides_tests() -> None:
    assert paths(session("wide", "a.py b.py c.py d.py")) == []
    assert paths(session("wide", "a.py b.py c.py tests/test_a.py")) == ["a.py", "b.py", "c.py"]


def test_what_is_gone_or_was_removed_last_is_left_out() -> None:
    made = session("made", "old/lock.py src/io.py", days=3)
    moved = session("moved", "", "old", days=2, likeness=0.5)
    assert paths(made, moved) == ["src/io.py"]
    assert "old/lock.py" in paths(made, moved, session("back", "old/lock.py", likeness=0.5))
    hints = files_to_touch([made], "it hangs", gone="src/io.py".__eq__)
    assert [hint.path for hint in hints] == ["old/lock.py"]


# Which files are gone: what sessions saw of other places is not judged.


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
