"""Files that a task may touch: of the sessions about the same, where the first stand out."""

from __future__ import annotations

from datetime import timedelta

from store.recall.touched import SessionFiles, files_to_touch
from tests.store.recall.makers import NOW


def session(
    name: str, changed: dict[str, int], *removed: str, days: float = 1, **read: int
) -> SessionFiles:
    return SessionFiles(name, NOW - timedelta(days=days), changed, read, frozenset(removed))


def test_the_files_of_the_session_most_alike_come_first_with_why() -> None:
    sessions = [
        session("lock", {"src/lock.py": 4, "src/io.py": 3}, days=2),
        session("page", {"src/page.py": 9, "src/lock.py": 1}, days=1),
    ]
    found = files_to_touch(sessions, {"lock": 1.0, "page": 0.4}, "the lock hangs")
    assert [(it.path, it.why) for it in found] == [
        ("src/lock.py", ("2×", "28 Feb")),
        ("src/io.py", ("1×", "27 Feb")),
    ]
    assert files_to_touch(sessions, {}, "") == files_to_touch([], {"lock": 1.0}, "") == ()


def test_what_is_named_already_is_not_told() -> None:
    sessions = [session("lock", {"src/lock.py": 4, "src/io.py": 3})]
    for known in ("src/lock.py hangs", "lock.py hangs"):
        found = files_to_touch(sessions, {"lock": 1.0}, known)
        assert [it.path for it in found] == ["src/io.py"]


def test_where_more_than_five_are_alike_none_stands_out() -> None:
    alike = {f"src/{name}.py": 2 for name in "abcdef"}
    assert files_to_touch([session("wide", alike)], {"wide": 1.0}, "") == ()
    found = files_to_touch([session("wide", {**alike, "src/main.py": 9})], {"wide": 1.0}, "")
    assert [it.path for it in found] == ["src/main.py"]


def test_what_was_only_read_counts_half() -> None:
    read = SessionFiles("s", NOW, {"src/a.py": 2}, {"src/b.py": 2, "src/c.py": 1})
    found = files_to_touch([read], {"s": 1.0}, "")
    assert [(it.path, it.why[0]) for it in found] == [("src/a.py", "1×"), ("src/b.py", "read")]


def test_what_is_gone_or_was_removed_last_is_not_told() -> None:
    made = session("made", {"old/lock.py": 2, "src/io.py": 2}, days=3)
    moved = session("moved", {}, "old", days=2)
    alike = {"made": 1.0, "moved": 1.0}
    assert [it.path for it in files_to_touch([made, moved], alike, "")] == ["src/io.py"]
    back = session("back", {"old/lock.py": 1}, days=1)
    found = files_to_touch([made, moved, back], {**alike, "back": 1.0}, "")
    assert "old/lock.py" in [it.path for it in found]
    found = files_to_touch([made], alike, "", gone="src/io.py".__eq__)
    assert [it.path for it in found] == ["old/lock.py"]
