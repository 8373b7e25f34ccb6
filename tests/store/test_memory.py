"""The one door: what a program writes, finds, changes and takes back through it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store import Memory, open_memory
from store.action import Action
from store.errors import Conflict, NotFound, StoreError, WriteFailed
from store.events import MemoryProblem
from store.operations.batch import PartlyStored
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import (
    NOW,
    Clock,
    make_memory,
    manifest_ids,
    observation,
    record,
    write_issue,
)


def _ids(memory: Memory, query: str = "") -> list[str]:
    return sorted(hit.entry.id for hit in memory.search(query, facets=()).hits)


# -- opening -------------------------------------------------------------------------------------


def test_looking_at_a_memory_that_is_not_there_makes_none(memory: Memory, tmp_path: Path) -> None:
    with memory:
        assert memory.search("anything").total == 0
        assert memory.by_issue(29) == []
        assert memory.stats().total_observations == 0
        assert memory.state().total == 0
        assert memory.state().writable
        assert memory.history.operations() == []
        with pytest.raises(NotFound):
            memory.get("obs-1")
        with pytest.raises(NotFound, match="Nothing to undo"):
            memory.undo()
    assert not memory.path.exists()


# -- storing -------------------------------------------------------------------------------------


def test_write_not_confirmed_by_the_disk(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.store([observation("One")])

    def fails(folder: Path) -> None:
        if folder == memory.path:
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("store.platform.write.sync_folder", fails)
        with pytest.raises(PartlyStored, match=r"^issue-29\.json was changed, but") as caught:
            memory.store([observation("Two")])
    assert caught.value.ids == ("obs-2",)
    assert "can be undone" in caught.value.hint
    assert [it.id for it in memory.by_issue(29)] == ["obs-1", "obs-2"]
    memory.undo()
    assert [it.id for it in memory.by_issue(29)] == ["obs-1"]


def test_a_log_that_can_not_be_written_stops_nothing(memory: Memory) -> None:
    memory.path.mkdir(parents=True)
    (memory.path / "activity.jsonl").mkdir()
    problems: list[MemoryProblem] = []
    memory.events.subscribe(MemoryProblem, problems.append)
    with memory:
        assert memory.store([observation()]) == ["obs-1"]
    assert [problem.kind for problem in problems] == ["log-not-written"]
    assert manifest_ids(memory.path) == ["obs-1"]


# -- changing ------------------------------------------------------------------------------------


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.store([observation("One"), observation("Two"), observation("Three", issue_number=7)])
    return memory


def test_another_program_takes_it_back(filled: Memory, tmp_path: Path) -> None:
    applied = filled.apply(filled.plan.remove(["obs-1", "obs-2"]))
    with make_memory(tmp_path, Clock(NOW.replace(hour=13)), prefix="other") as other:
        assert other.history.operations()[0].id == applied.operation_id
        assert other.history.operations()[0].count == 2
        assert other.history.plan_undo().action == Action("undo", {"memories": 2}, "remove")
        assert other.undo(applied.operation_id[-4:]).changed == 2
    assert _ids(filled) == ["obs-1", "obs-2", "obs-3"]
    with pytest.raises(Conflict, match="already undone"):
        filled.undo(applied.operation_id)


def test_no_error_is_a_traceback_of_another_kind(memory: Memory) -> None:
    """Each thing that can be asked wrongly answers with an error of ours."""
    write_issue(memory.path, 29, record("a"))
    for wrong in (
        lambda: memory.get(""),
        lambda: memory.plan.edit("a", {"nonsense": 1}),
        lambda: memory.plan.edit("a", {"timestamp": "soon"}),
        lambda: memory.plan.edit("a", {"extra": {"id": "b"}}),
        lambda: memory.plan.remove(["a", "nothing"]),
        lambda: memory.undo("\ud800"),
        lambda: memory.undo("../x"),
    ):
        with pytest.raises(StoreError):
            wrong()
    assert json.loads((memory.path / "issue-29.json").read_bytes())["observations"] == [record("a")]


# -- what a failure beside the work leaves ---------------------------------------------------------


def _told(memory: Memory) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    memory.on_problem(lambda it: heard.append((it.kind, it.message)))
    return heard


def test_operation_that_is_not_kept(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> str:
        raise WriteFailed("The disk is full.", "Free some.")

    heard = _told(memory)
    monkeypatch.setattr("store.operations.service.keep_done", refuse)
    report = memory.add([observation()])
    assert (report.ids, report.operation_id) == (("obs-1",), "")
    assert heard == [("not-recorded", "The disk is full.")]
    assert _ids(memory) == ["obs-1"]
    assert memory.history.operations() == []


def test_session_that_is_not_kept(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise WriteFailed("The disk is full.", "Free some.")

    heard = _told(memory)
    monkeypatch.setattr(memory.capture._indexing, "keep_session", refuse)
    said = "From now on requests are retried at most 3 times, because the gateway gives up then."
    made = ClaudeCode(session="s").user(said).agent("Done.")
    report = memory.capture.apply(memory.capture.plan([it.encode() for it in made.lines]))
    assert report.ids
    assert heard == [("session-not-kept", "The disk is full.")]
    assert memory.sessions.digests() == []


# A memory opened: where it is, with which settings, and whose clock and ids it has.


def test_settings_of_a_program_stay_and_those_of_a_file_are_read_again(tmp_path: Path) -> None:
    place = tmp_path / ".agentx" / "memory"
    place.mkdir(parents=True)
    file = tmp_path / ".agentx" / "memtui.toml"
    file.write_text("max_tokens = 1234\n")
    with open_memory(place, cache=tmp_path / "cache") as memory:
        assert memory.settings.max_tokens == 1234
        assert memory.settings_sources["max_tokens"] != "default"
        file.write_text("max_tokens = 2345\nstale_archive_after_days = 'x'\n")
        assert memory.settings.max_tokens == 1234
        memory.reload_settings()
        assert memory.settings.max_tokens == 2345
        assert len(memory.settings_mistakes) == 1
    given = Settings(max_tokens=77)
    with open_memory(place, cache=tmp_path / "cache", settings=given) as memory:
        memory.reload_settings()
        assert memory.settings.max_tokens == 77
        assert memory.settings_mistakes == ()
