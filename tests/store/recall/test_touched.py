"""Files that a task may touch: of the sessions most about the same, where the first stand out."""

from __future__ import annotations

from datetime import timedelta

from store.recall.touched import SessionFiles, files_to_touch
from tests.store.recall.makers import NOW


def session(
    name: str, changed: str, removed: str = "", *, days: float = 1, likeness: float = 1.0
) -> SessionFiles:
    ended = NOW - timedelta(days=days)
    return SessionFiles(name, ended, likeness, changed.split(), frozenset(removed.split()))


def paths(*sessions: SessionFiles, task: str = "it hangs") -> list[str]:
    return [hint.path for hint in files_to_touch(sessions, task)]


def test_files_of_the_likest_sessions_come_first_with_why() -> None:
    sessions = [
        session("lock", "src/lock.py src/io.py", days=2),
        session("page", "src/page.py src/lock.py", days=1, likeness=0.8),
    ]
    assert [(hint.path, hint.why) for hint in files_to_touch(sessions, "it hangs")] == [
        ("src/lock.py", ("2×", "28 Feb")),
        ("src/io.py", ("1×", "27 Feb")),
    ]
    assert files_to_touch([], "it hangs") == ()


def test_a_file_counts_more_whose_path_has_a_rare_word_of_the_task() -> None:
    one, other = session("one", "src/lock.py src/io.py"), session("other", "src/page.py")
    assert paths(one, other, task="the io hangs")[0] == "src/io.py"
    assert paths(one, other, task="src hangs")[0] == "src/io.py"


def test_what_the_task_names_and_tests_are_left_out() -> None:
    lock = session("lock", "src/lock.py src/io.py tests/test_lock.py")
    assert paths(lock) == ["src/io.py", "src/lock.py"]
    assert paths(lock, task="src/lock.py hangs") == ["src/io.py"]
    assert paths(lock, task="lock.py hangs") == ["src/io.py"]


def test_at_most_five_are_listed() -> None:
    assert len(paths(session("wide", "a.py b.py c.py d.py e.py f.py"))) == 5


def test_what_is_gone_or_was_removed_last_is_left_out() -> None:
    made = session("made", "old/lock.py src/io.py", days=3)
    moved = session("moved", "", "old", days=2)
    assert paths(made, moved) == ["src/io.py"]
    assert "old/lock.py" in paths(made, moved, session("back", "old/lock.py"))
    hints = files_to_touch([made], "it hangs", gone="src/io.py".__eq__)
    assert [hint.path for hint in hints] == ["old/lock.py"]
