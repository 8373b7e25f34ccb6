"""How searches and injections went, by the log and in this run, and what a screen says of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from store import Memory
from store.activity.log import FAILED, SEARCH, SEARCHED
from store.activity.recorder import _SEARCHES
from store.errors import Away, Unreadable
from store.model import Problem
from store.statistics import StoreState, Work
from tests.store.exchange.keys import made_up_key
from tests.store.factories import Clock, logged, make_memory, observation, write_issue


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    memory = make_memory(tmp_path, clock)
    memory.store([observation("The lock waits."), observation("It ends.", archived=True)])
    return memory


def test_each_page_that_is_asked_for_counts_as_a_search(memory: Memory) -> None:
    assert memory.statistics().timings[Work.SEARCH].done == 0
    for _ in range(3):
        memory.search("lock")
    memory.search("lock", 0)
    memory.search("lock", 0, facets=())
    memory.search("lock", 5, 5, fresh=False)
    assert memory.statistics().timings[Work.SEARCH].done == 4
    assert not [it for it in logged(memory.path) if it["type"] == SEARCHED]


def test_searches_are_told_newest_first_with_their_errors_and_times(
    memory: Memory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = memory._store.recorder
    begun = clock.now
    clock.pass_by(seconds=1.25)
    recorder.searched(begun)
    clock.pass_by(minutes=1)
    recorder.searched(clock.now, "It is away.")
    failed, done = recorder.searches()
    assert (failed.kind, failed.problem, failed.message) == (FAILED, SEARCH, "It is away.")
    assert (failed.took, done.kind, done.took) == (0.0, SEARCHED, 1_250.0)
    assert failed.time is not None and done.time is not None
    assert (failed.time - done.time).total_seconds() == 60
    for _ in range(_SEARCHES):
        recorder.searched(clock.now)
    assert {it.kind for it in recorder.searches()} == {SEARCHED}
    assert len(recorder.searches()) == _SEARCHES

    def refused(*_: object, **__: object) -> None:
        raise Unreadable("It can't be read.")

    monkeypatch.setattr(memory.index, "ask", refused)
    for limit in (50, 0):
        with pytest.raises(Unreadable):
            memory.search("lock", limit)
        assert recorder.searches()[0].message == "It can't be read."


def test_while_a_log_is_away_there_are_figures_without_times(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise Away("The database is away.", "")

    assert Work.SEARCH in memory.statistics().timings
    monkeypatch.setattr(memory.backend, "activity_stamp", refused)
    told = memory.statistics()
    assert told.timings == {}
    assert told.figures.total.count == 2


def test_a_screen_is_told_what_there_is_as_the_index_has_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.index.refresh()
    tokens = sum(it.tokens for it in memory.by_issue(29))
    assert memory.state() == StoreState(memory.path, True, 2, tokens)
    write_issue(memory.path, 30, {"id": "odd"})
    assert memory.state().problems == ()
    memory.index.refresh()
    (problem,) = memory.state().problems
    assert isinstance(problem, Problem)
    assert problem.path == "issue-30.json"
    assert memory.problems == (problem,)
    monkeypatch.setattr(memory.backend, "is_writable", lambda: False)
    assert not memory.state().writable


def test_a_log_that_is_known_is_not_read_again(memory: Memory) -> None:
    known = memory.activity(5)
    assert memory.activity(1, known) is known
    memory.recall.inject(memory.recall.plan(None, 29, "lock", budget=500))
    later = memory.activity(1, known)
    assert [it.kind for it in later.entries] == ["recalled"]
    assert later.total == known.total + 1


def test_what_could_not_be_done_is_logged_for_its_session_and_without_secrets(
    memory: Memory,
) -> None:
    secret = made_up_key()
    memory.record_failure("capture-failed", f"No room at {secret}.", "s")
    memory.record_failure("hook stop", "No room.")
    memory._store.recorder.problem("not-settled", f"It lags: {secret}", took=12.345)
    failed, other, warned = logged(memory.path)[-3:]
    assert (failed["type"], failed["kind"], failed["sessionId"]) == (
        "failed",
        "capture-failed",
        "s",
    )
    assert failed["message"].startswith("No room at [redacted")
    assert "sessionId" not in other
    assert (warned["type"], warned["kind"], warned["tookMs"]) == ("warning", "not-settled", 12.3)
    assert secret not in (memory.path / "activity.jsonl").read_text()
    assert memory.activity().capture.message == "No room."


def test_what_is_asked_by_use_has_the_last_recall(tmp_path: Path, clock: Clock) -> None:
    memory = make_memory(tmp_path, clock)
    memory.index.defer_recall_counts()
    names = ("a", "b", "c")
    at = clock.now - timedelta(days=400)
    memory.store([observation(f"The lock of {it}.", id=it, timestamp=at) for it in names])
    assert memory.search("is:stale").total == 3

    for name, times in (("b", 1), ("c", 2), ("a", 3)):
        for _ in range(times):
            memory.recall.record_accesses("qa", [name], "Told.", 3)
        entry = memory.search("sort:recalled").hits[0].entry
        assert (entry.id, entry.recall_count) == (name, times)
    assert memory.search("is:stale").total == 0
    assert memory.search_ids("is:stale") == []
    memory.store([observation("The lock of d.", id="d", timestamp=at)])
    assert memory.search_ids("is:stale") == ["d"]
    memory.recall.record_accesses("qa", ["d"], "Told.", 3)
    assert memory.search_ids("is:stale") == []
