"""What is kept of sessions that were given memories: read after they end, counted, forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.platform.json_fields import strings
from store.usage import service
from store.usage.evidence import Recalled, outcome_of
from store.usage.values import Counts, Outcome
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import observation
from tests.store.usage.made import Project, edited, inject

LOCK, TESTS = "The wait is in store/lock.py.", "Run the tests: `make test-slow JOBS=2`."


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_counts_follow_sessions(project: Project) -> None:
    with project.open() as memory:
        lock, tests = memory.store([observation(LOCK), observation(TESTS)])
        project.session(memory, [lock, tests], edited("store/lock.py"))
        project.session(memory, [lock], edited("store/other.py"))
        assert memory.usage.refresh()
        assert memory.known_usage().counts == {lock: Counts(2, 1, 1), tests: Counts(1, 0, 0)}
        assert memory.known_usage().of_session("s-1") == Counts(2, 1, 1)
        assert memory.known_usage().by_category == {"decision": Counts(3, 1, 1)}
        assert not memory.usage.refresh()
    with project.open() as memory:
        assert not memory.usage.refresh()
        assert memory.known_usage().counts[lock].used == 1


def test_recalls_are_sorted_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """To search those of 5,000 sessions for each memory of each took 356 s."""
    searched = list[object]()

    class Ids(tuple[str, ...]):
        __slots__ = ()

        def __contains__(self, key: object) -> bool:
            searched.append(key)
            return super().__contains__(key)

    monkeypatch.setattr(service, "strings", lambda value: Ids(strings(value)))
    with project.open() as memory:
        told = memory.store([observation(LOCK), observation(TESTS)])
        for _ in range(3):
            project.session(memory, told, edited("store/lock.py"))
        assert memory.usage.refresh()
        assert memory.known_usage().counts[told[0]].told == 3
    assert searched == []


def test_what_is_forgotten_while_sessions_are_read_is_not_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project.open() as memory:
        lock, tests = memory.store([observation(LOCK), observation(TESTS)])
        project.session(memory, [lock, tests], edited("store/lock.py"))
        judge = outcome_of

        def forgetting(recalled: Recalled, *more: Any) -> Outcome | None:  # noqa: ANN401
            if recalled.memory.id == tests:
                memory.forget(memory.plan.forget(lock))
            return judge(recalled, *more)

        monkeypatch.setattr(service, "outcome_of", forgetting)
        assert memory.usage.refresh()
        assert set(memory.known_usage().counts) == {tests}


def test_a_session_that_goes_on_is_read_again(project: Project) -> None:
    with project.open() as memory:
        [lock] = memory.store([observation(LOCK)])
        path = project.session(memory, [lock])
        memory.usage.refresh()
        assert memory.known_usage().counts[lock].used == 0
        more = ClaudeCode(session="s-1", cwd=str(project.root)).edit("store/lock.py")
        path.write_text(f"{path.read_text()}\n" + "\n".join(more.lines))
        assert memory.usage.refresh()
        assert memory.known_usage().counts[lock] == Counts(1, 1, 1)


def test_only_recalls_of_a_known_session_count(project: Project) -> None:
    with project.open() as memory:
        [lock] = memory.store([observation(LOCK)])
        project.session(memory, [], edited("store/lock.py"))
        inject(memory, [lock], "")  # of a client that names no session
        inject(memory, [lock], "s-9")  # of one that is not captured
        inject(memory, [lock], "s-1", about=("file:store/lock.py",))  # before an edit of that file
        assert not memory.usage.refresh()
        assert not memory.known_usage().counts


def test_a_session_without_times_is_not_judged(project: Project) -> None:
    with project.open() as memory:
        [lock] = memory.store([observation(LOCK)])
        path = project.session(memory, [lock], edited("store/lock.py"))
        path.write_text(path.read_text().replace('"timestamp"', '"at"'))
        assert memory.usage.refresh()
        assert not memory.known_usage().counts


def test_what_is_told_to_five_and_left_alone_is_unused(project: Project) -> None:
    with project.open() as memory:
        lock, tests = memory.store([observation(LOCK), observation(TESTS)])
        for number in range(5):
            edits = [edited("store/lock.py")] if number == 3 else []
            project.session(memory, [lock, tests], *edits)
        memory.usage.refresh()
        found = {
            query: [hit.entry.id for hit in memory.search(query).hits]
            for query in ("is:unused", "is:used", "is:unused -is:muted")
        }
        assert found == {"is:unused": [tests], "is:used": [lock], "is:unused -is:muted": [tests]}
        memory.edit(tests, {"muted": True})
        assert not memory.search("is:unused -is:muted").total


def test_what_is_forgotten_does_not_come_back(project: Project) -> None:
    with project.open() as memory:
        lock, tests = memory.store([observation(LOCK), observation(TESTS)])
        path = project.session(memory, [lock, tests], edited("store/lock.py"))
        memory.usage.refresh()
        memory.forget(memory.plan.forget([lock]))
        [kept] = project.cache.rglob("*-usage")
        assert lock not in kept.read_text() and "store/lock.py" not in kept.read_text()
        path.write_text(f"{path.read_text()}\n")  # it is read again
        assert memory.usage.refresh()
        assert memory.known_usage().counts == {tests: Counts(1, 0, 0)}


def test_a_cache_that_can_not_be_written_forgets_too(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project.open() as memory:
        [lock] = memory.store([observation(LOCK)])
        project.session(memory, [lock], edited("store/lock.py"))
        memory.usage.refresh()
        monkeypatch.setattr("store.platform.cached.keep_cached", lambda *_: False)
        memory.forget(memory.plan.forget([lock]))
        assert not [*project.cache.rglob("*-usage")]


def test_what_is_damaged_is_read_again(project: Project) -> None:
    with project.open() as memory:
        [lock] = memory.store([observation(LOCK)])
        project.session(memory, [lock], edited("store/lock.py"))
        memory.usage.refresh()
        [kept] = project.cache.rglob("*-usage")
        kept.write_bytes(kept.read_bytes()[:-9])
        assert not memory.known_usage().counts
        assert memory.usage.refresh()
        assert memory.known_usage().counts[lock].used == 1
