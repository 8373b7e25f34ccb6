"""The files that a task may touch: by sessions that were alike, by names, and each told once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from store.model import UNDATED
from store.recall.file_names import files_of_sessions, one_name_each
from store.recall.session_files import NO_FILES, SessionFiles
from store.recall.touched import Remembered, files_remembered, files_to_touch
from store.recall.values import Kind, Ranked
from tests.store.factories import observation

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def session(
    name: str, changed: Mapping[str, int], read: Mapping[str, int] | None = None,
    created: tuple[str, ...] = (), removed: tuple[str, ...] = (),
) -> SessionFiles:  # fmt: skip
    ended = NOW - timedelta(days=int(name))
    return SessionFiles(name, ended, changed, read or {}, frozenset(created), frozenset(removed))


def paths(likeness: Sequence[float], *sessions: SessionFiles, task: str = "") -> list[str]:
    alike = {it.session: each for it, each in zip(sessions, likeness, strict=True)}
    known = files_of_sessions(sessions)
    return [it.path for it in files_to_touch(known, alike, Remembered(), task)]


def test_one_session_that_is_alike_outweighs_many_that_are_a_little() -> None:
    few = session("1", {"src/a/lock.py": 1})
    many = [session(str(at), {"src/b/other.py": 3}) for at in range(2, 10)]
    assert paths([1.0, *[0.4] * 8], few, *many)[0] == "src/a/lock.py"


def test_what_was_read_comes_after_what_was_changed_and_scratch_last() -> None:
    one = session("1", {"a/x.py": 1, "try.py": 9}, {"b/y.py": 9}, created=("try.py",))
    found = paths([1.0, 0.7], one, session("2", {"c/z.py": 1}))
    assert found == ["a/x.py", "c/z.py", "b/y.py", "try.py"]


def test_what_a_session_read_and_changed_counts_as_changed_alone() -> None:
    for read in ({}, {"a/x.py": 7}):
        known = files_of_sessions([session("1", {"a/x.py": 1}, read), session("2", {"b/y.py": 1})])
        assert known.often["a/x.py"] == known.often["b/y.py"]


def test_what_each_session_made_anew_is_scratch_until_one_comes_back_to_it() -> None:
    anew = [session(str(at), {"try.py": 1, "a/x.py": 1}, created=("try.py",)) for at in (1, 2)]
    later = session("3", {"c/z.py": 1})
    assert paths([1.0, 1.0, 0.7], *anew, later) == ["a/x.py", "c/z.py", "try.py"]
    later = session("3", {"c/z.py": 1}, {"try.py": 1})
    assert paths([1.0, 1.0, 0.7], *anew, later)[0] == "try.py"


def test_what_is_scratch_counts_little_by_its_words_and_nothing_by_its_name() -> None:
    def score(*created: str, task: str = "why is the journal.py slow?") -> float:
        one = session("1", {"tmp/journal.py": 1}, created=created)
        known = files_of_sessions([one, session("2", {"src/lock.py": 1})])
        return known.scores({}, task)["tmp/journal.py"]

    assert score(task="nothing") > score("tmp/journal.py", task="nothing") == 0.0
    assert 0 < score("tmp/journal.py") < 0.25 * score()
    assert score(task="the journal is slow") < score()
    read = files_of_sessions([session("1", {"a.py": 1}, {"tmp/journal.py": 2})])
    assert 0 < read.scores({}, "nothing")["tmp/journal.py"] < read.scores({}, "nothing")["a.py"]


def test_a_file_that_is_gone_is_not_told_and_the_next_takes_its_place() -> None:
    one = session("1", {"src/old.py": 9, "src/new.py": 1, "tests/test_old.py": 1})
    found = files_to_touch(
        files_of_sessions([one]), {"1": 1.0}, Remembered(), "fix it", 2, "src/old.py".__eq__
    )
    assert [it.path for it in found] == ["src/new.py", "tests/test_old.py"]


@pytest.mark.parametrize("removed", ["src/old.py", "src", "other"])
@pytest.mark.parametrize("days", [1, 3, 5])
@pytest.mark.parametrize("stands", [None, False])
def test_what_the_last_session_that_had_to_do_with_it_removed_is_told_no_more(
    removed: str, days: int, stands: bool | None
) -> None:
    worked = session("4", {"src/old.py": 9}, {"new/a.py": 1})
    tidied = session(str(days), {"src/old.py": 1} if removed != "other" else {}, removed=(removed,))
    known = files_of_sessions([worked, tidied])
    back = SessionFiles("s", NOW - timedelta(days=2), {"src/old.py": 1})
    for remembered, last in ((Remembered(), 4), (Remembered([back]), 2)):
        hints = files_to_touch(known, {"4": 1.0}, remembered, "fix", gone=lambda path: stands)
        gone = removed != "other" and days < last and stands is None
        assert ("src/old.py" in {it.path for it in hints}) is not gone


@pytest.mark.parametrize(("came_back", "gone"), [(3, True), (1, False)])
def test_what_was_removed_twice_is_gone_since_the_last_time(came_back: int, gone: bool) -> None:
    removing = [session(str(days), {}, removed=("src/old.py",)) for days in (2, 5)]
    known = files_of_sessions([*removing, session(str(came_back), {"src/old.py": 9})])
    assert known.is_removed("src/old.py") is gone


def test_what_another_session_changed_as_it_was_removed_stands() -> None:
    gone = session("2", {}, removed=("src/old.py",))
    beside = SessionFiles("other", gone.ended, {"src/old.py": 1})
    for sessions in ([gone, beside], [beside, gone]):
        known = files_of_sessions(sessions)
        assert not known.is_removed("src/old.py")
    alone = files_of_sessions([gone])
    assert alone.is_removed("src/old.py")
    assert not alone.is_removed("src/old.py", [beside])
    assert not alone.is_removed("src/old.pyc") and not alone.is_removed("old.py")


def test_what_is_tested_is_told_with_its_tests_in_one_line() -> None:
    one = session("1", {"tests/test_lock.py": 2, "src/lock.py": 1, "src/io.ts": 1, "test_x.py": 1})
    two = session("2", {"tests/test_lock.py": 2, "test/io.spec.ts": 1})
    found = files_to_touch(
        files_of_sessions([one, two]), {"1": 1.0, "2": 0.9}, Remembered(), "fix it"
    )
    assert {it.path: it.why[1] for it in found} == {
        "src/lock.py": "with tests/test_lock.py",
        "src/io.ts": "with test/io.spec.ts",
        "test_x.py": "28 Feb",
    }


def test_of_several_files_of_tests_the_likeliest_is_named() -> None:
    one = session("1", {"tests/test_lock.py": 1, "src/lock.py": 1})
    two = session("2", {"old/lock_test.py": 1, "tests/test_lock.py": 1})
    for sessions in ((one, two), (two, one)):
        found = files_to_touch(
            files_of_sessions(sessions), {"1": 1.0, "2": 0.6}, Remembered(), "fix it"
        )
        assert [(it.path, it.why[1]) for it in found] == [
            ("src/lock.py", "with tests/test_lock.py")
        ]


def test_what_a_file_was_changed_with_is_named_where_that_was_more_than_once() -> None:
    told = [session("1", {"src/a.py": 1, "lib/b.py": 1}), session("2", {"src/a.py": 1})]
    for again, why in ((), ("2×", "28 Feb")), (("lib/b.py",), ("3×", "with b.py", "28 Feb")):
        sessions = [*told, *(session("3", {"src/a.py": 2, it: 1}) for it in again)]
        found = files_to_touch(files_of_sessions(sessions), {"1": 1.0}, Remembered(), "fix")
        assert {it.path: it.why for it in found}["src/a.py"] == why


def test_a_file_is_told_when_it_was_changed_last_and_only_else_when_it_was_read() -> None:
    changed, read = session("5", {"src/a.py": 1}), session("2", {"x.py": 1}, {"src/a.py": 1})
    more = session("3", {"x.py": 1}, {"src/a.py": 4, "lib/b.py": 1})
    known = files_of_sessions([changed, read, more])
    found = files_to_touch(known, {"5": 1.0, "2": 1.0, "3": 1.0}, Remembered(), "fix")
    assert {it.path: it.why for it in found} == {
        "x.py": ("2×", "27 Feb"),
        "src/a.py": ("1×", "24 Feb"),
        "lib/b.py": ("read 1×", "26 Feb"),
    }


def test_a_file_without_an_ending_is_told_beside_those_that_are_no_tests() -> None:
    changed = {".gitignore": 1, "Makefile": 1, "src/a.py": 1, "src/b.py": 1}
    assert sorted(paths([1.0], session("1", changed))) == sorted(changed)


def test_a_name_and_the_words_of_a_path_in_the_task_count() -> None:
    one = session("1", {"src/lock.py": 1, "src/io/journal.py": 1, "src/net.py": 1})
    assert paths([0.6], one, task="the journal is slow")[0] == "src/io/journal.py"
    assert paths([0.6], one, task="see net.py")[0] == "src/net.py"


def test_at_most_ten_each_with_why() -> None:
    one = session("1", {f"src/m{at}.py": 1 for at in range(30)})
    two = session("2", {"src/m3.py": 1, "src/m4.py": 1})
    found = files_to_touch(
        files_of_sessions([one, two]), {"1": 1.0, "2": 0.9}, Remembered(), "m3.py"
    )
    assert len(found) == 10
    assert found[0].path == "src/m3.py"
    assert found[0].why == ("2×", "with m4.py", "28 Feb", "named")


def test_when_a_file_was_changed_is_told_where_that_is_known() -> None:
    one = session("1", {"src/m3.py": 1})._replace(ended=UNDATED)
    (found,) = files_to_touch(files_of_sessions([one]), {"1": 1.0}, Remembered(), "")
    assert found.why == ("1×",)


def test_a_file_seen_through_several_folders_has_one_name() -> None:
    names = one_name_each(["src/app/lock.py", "wt/one/src/app/lock.py", "wt/src/app/io.py"])
    assert names["wt/one/src/app/lock.py"] == names["src/app/lock.py"] == "src/app/lock.py"
    assert "wt/src/app/io.py" not in names
    apart = one_name_each(["packages/a/src/index.ts", "packages/b/src/index.ts", "a.py", "b/a.py"])
    assert all(path == name for path, name in apart.items())


def test_what_memories_tell_of_a_session_is_the_same_in_any_order() -> None:
    def told(path: str, days: int, score: float) -> Ranked:
        made = observation(
            f"{path}: x", category="code-change", session_id="s", timestamp=NOW - timedelta(days)
        )
        return Ranked(made, score, {})

    ranked = [told("src/a.py", 1, 0.4), told("src/a.py", 9, 0.8), told("src/b.py", 5, 0.6)]
    for order in permutations(ranked):
        remembered = files_remembered(order)
        assert [(it.session, it.ended) for it in remembered.sessions] == [
            ("s", NOW - timedelta(days=1))
        ]
        assert remembered.sessions[0].changed == {"src/a.py": 2, "src/b.py": 1}
        assert remembered.scores == {"src/a.py": 1.0, "src/b.py": pytest.approx(0.75**3)}


def test_memories_tell_of_sessions_that_are_not_kept() -> None:
    ranked = [
        Ranked(observation("src/a.py: x", category="code-change", session_id="s1"), 0.9, {}),
        Ranked(observation("src/b.py: x", category="code-change", session_id="s2"), 0.4, {}),
        Ranked(observation("src/c.py: x", category="code-change", session_id="s3"), 0.5, {}),
        Ranked(observation("src/d.py: x", category="request"), 0.8, {}, Kind.MESSAGE),
    ]
    remembered = files_remembered(ranked, {"s3"})
    assert [it.path for it in files_to_touch(NO_FILES, {}, remembered, "")] == [
        "src/a.py",
        "src/b.py",
    ]


def test_a_memory_that_is_little_about_the_task_comes_after_what_alike_sessions_changed() -> None:
    kept = session("1", {"src/b.py": 1})
    ranked = [
        Ranked(observation("Why is it so?", category="request"), 1.6, {}, Kind.MESSAGE),
        Ranked(observation("src/a.py: x", category="code-change", session_id="2"), 0.8, {}),
    ]
    remembered = files_remembered(ranked, {"1"})
    found = files_to_touch(files_of_sessions([kept]), {"1": 0.7}, remembered, "")
    assert [it.path for it in found] == ["src/b.py", "src/a.py"]


def test_nothing_known_is_nothing_told() -> None:
    assert files_to_touch(NO_FILES, {}, Remembered(), "fix src/a.py") == []
