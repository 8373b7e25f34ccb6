"""The one door: what a program writes, finds, changes and takes back through it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import Memory, current_index, open_memory
from store.action import Action
from store.agents.files import files_at
from store.backends.files.layout import GITIGNORE, MANIFEST
from store.backends.issue_records import IssueRecords, Lookup
from store.backends.location import FOLDER
from store.clarifications.rules import Question
from store.errors import (
    AmbiguousId,
    Conflict,
    InvalidObservation,
    NoMemory,
    NotFound,
    NotSynced,
    StoreError,
    WriteFailed,
)
from store.events import MemoryChanged, MemoryProblem, MemoryStored
from store.model import Problem
from store.notice import notice
from store.operations.apply import Applied, apply_plan
from store.operations.batch import PartlyStored
from store.recall.request import RecallRequest
from store.settings.schema import Settings
from tests.store.capture.transcripts import ClaudeCode
from tests.store.factories import (
    NOW,
    Clock,
    logged,
    make_memory,
    manifest_ids,
    observation,
    record,
    records_in,
    write_issue,
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Memory:
    return make_memory(tmp_path, clock)


def _ids(memory: Memory, query: str = "") -> list[str]:
    return sorted(hit.entry.id for hit in memory.search(query, facets=()).hits)


# -- opening -------------------------------------------------------------------------------------


def test_a_memory_is_found_from_its_project_or_below(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store([observation()])
    deep = tmp_path / "src"
    deep.mkdir()
    monkeypatch.chdir(deep)
    for path in (None, tmp_path, str(tmp_path), memory.path):
        assert open_memory(path, cache=tmp_path / "cache").path == memory.path


def test_where_there_is_no_memory_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoMemory):
        open_memory()
    (tmp_path / "file").touch()
    with pytest.raises(NoMemory, match="not a folder"):
        open_memory(tmp_path / "file")


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


def test_a_memory_can_be_shown_as_it_was_left(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    assert not memory.index.open_existing()
    with memory:
        memory.store([observation()])
    write_issue(memory.path, 30, record(id="obs-by-hand", issueNumber=30))
    later = make_memory(tmp_path, clock)
    assert later.index.open_existing()
    assert later.search(fresh=False).total == later.state().total == 1
    assert later.index.refresh()
    assert later.search(fresh=False).total == later.state().total == 2


def test_a_refused_batch_makes_no_memory(memory: Memory) -> None:
    wrong: Any = observation(issue_number=[29])
    for refused in (wrong, observation(agent="not an agent")):
        with memory, pytest.raises(InvalidObservation):
            memory.store([refused])
    assert not memory.path.exists()


def test_looking_writes_nothing(memory: Memory) -> None:
    write_issue(memory.path, 29, record("a"), record("b", issueNumber=7))
    before = {path.name: path.stat() for path in memory.path.iterdir()}
    with memory:
        memory.search("plain")
        memory.get("a")
        memory.stats()
        memory.plan.remove("a")
        memory.state()
    assert {path.name: path.stat() for path in memory.path.iterdir()}.keys() == before.keys()
    assert all(
        path.stat().st_mtime_ns == before[path.name].st_mtime_ns for path in memory.path.iterdir()
    )


# -- storing -------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(
    batch=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from(["engineer", "reviewer"]),
            st.text(st.characters(exclude_categories=()), min_size=1, max_size=20),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_what_was_stored_is_found(
    tmp_path_factory: pytest.TempPathFactory, batch: list[tuple[int, str, str]]
) -> None:
    root = tmp_path_factory.mktemp("project")
    items = [
        observation(f"Fact {text}", issue_number=issue, agent=agent) for issue, agent, text in batch
    ]
    with make_memory(root) as memory:
        try:
            ids = memory.store(items)
        except InvalidObservation:
            assert any("<private>" in item.content for item in items)
            return
        for identifier, item in zip(ids, items, strict=True):
            found = memory.get(identifier)
            assert found.content == item.content.strip("\n")
            assert (found.agent, found.issue_number) == (item.agent, item.issue_number)
            assert found in memory.by_issue(item.issue_number)
        assert set(_ids(memory, "fact ")) == set(_ids(memory)) == set(ids)
        assert memory.search().total == len(set(ids))
        assert memory.stats().total_observations == len(set(ids))
    assert set(manifest_ids(root / FOLDER) or ()) == set(ids)


def test_a_new_memory_is_complete_when_it_is_closed(memory: Memory) -> None:
    with memory:
        memory.store([observation("One"), observation("Two", issue_number=7)])
        assert (memory.path / GITIGNORE).exists()
    assert manifest_ids(memory.path) == ["obs-2", "obs-1"]
    names = {path.name for path in memory.path.iterdir()}
    assert names == {
        *("issue-29.json", "issue-7.json", MANIFEST, "activity.jsonl", "operations"),
        *(GITIGNORE, ".lock"),
    }


def test_what_was_stored_is_told_and_logged(memory: Memory, clock: Clock) -> None:
    told: list[MemoryStored] = []
    memory.events.subscribe(MemoryStored, told.append)
    memory.store([observation("four"), observation("eight ch"), observation("x", agent="reviewer")])
    assert [(event.agent, event.count, event.total_tokens) for event in told] == [
        ("engineer", 2, 3),
        ("reviewer", 1, 1),
    ]
    entries = logged(memory.path)
    assert [(entry["type"], entry["observationIds"]) for entry in entries] == [
        ("stored", ["obs-1", "obs-2"]),
        ("stored", ["obs-3"]),
    ]
    assert entries[0]["timestamp"] == "2026-03-01T12:00:00.000Z"


def test_of_many_the_log_names_fifty_and_counts_all(memory: Memory) -> None:
    memory.store([observation(f"Note {number}") for number in range(60)])
    memory.apply(memory.plan.archive([f"obs-{number}" for number in range(1, 61)]))
    entry = logged(memory.path)[-1]
    assert entry["observationIds"] == [f"obs-{number}" for number in range(1, 51)]
    assert entry["count"] == 60


def test_what_is_told_again_is_counted(memory: Memory) -> None:
    told: list[MemoryStored] = []
    memory.store([observation("Same")])
    memory.events.subscribe(MemoryStored, told.append)
    report = memory.add([observation("Same")])
    assert (report.ids, report.twins, report.stored) == (("obs-1",), ("obs-1",), ())
    assert memory.get("obs-1").seen_count == 2
    assert told == []


def test_a_store_of_which_a_part_fails_says_which(memory: Memory) -> None:
    memory.store([observation("One", id="keep-1")])
    with pytest.raises(PartlyStored) as caught:
        memory.store([observation("Two", id="keep-1"), observation("Three", issue_number=7)])
    assert _ids(memory) == sorted(["keep-1", *caught.value.ids])
    cause = caught.value.__cause__
    assert isinstance(cause, StoreError)
    assert caught.value.message == f"1 of 2 memories were stored. {cause.message}"
    assert caught.value.hint == cause.hint


def test_what_the_disk_did_not_confirm_is_told_and_can_be_undone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_what_was_not_begun_is_neither_stored_nor_known(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing = memory.backend.changing

    def refusing(issue: int, lookup: Lookup | None = None) -> AbstractContextManager[IssueRecords]:
        if issue == 29:
            raise NotSynced("The disk did not confirm what was written before.", "")
        return changing(issue, lookup)

    monkeypatch.setattr(memory.backend, "changing", refusing)
    with pytest.raises(PartlyStored, match=r"^1 of 2 memories were stored") as caught:
        memory.store([observation("One"), observation("Two", issue_number=30)])
    report = caught.value.report
    assert (report.ids, report.twins) == (("", "obs-2"), ())
    assert [it.id for it in report.stored] == ["obs-2"]


def test_a_log_that_can_not_be_written_stops_nothing(memory: Memory) -> None:
    memory.path.mkdir(parents=True)
    (memory.path / "activity.jsonl").mkdir()
    problems: list[MemoryProblem] = []
    memory.events.subscribe(MemoryProblem, problems.append)
    with memory:
        assert memory.store([observation()]) == ["obs-1"]
    assert [problem.kind for problem in problems] == ["log-not-written"]
    assert manifest_ids(memory.path) == ["obs-1"]


def test_a_damaged_manifest_is_rebuilt_and_told(memory: Memory) -> None:
    with memory:
        memory.store([observation()])
    (memory.path / MANIFEST).write_text("<<<<<<<")
    problems: list[MemoryProblem] = []
    memory.events.subscribe(MemoryProblem, problems.append)
    with memory:
        memory.store([observation("Two")])
    assert [problem.kind for problem in problems] == ["manifest-rebuilt"]
    assert manifest_ids(memory.path) == ["obs-1", "obs-2"]


def test_a_large_manifest_rests_between_writes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    issues = count(29)

    def store(content: str, pause: float) -> list[str] | None:
        monkeypatch.setattr(current_index, "_PAUSE", pause)
        memory.store([observation(content, issue_number=next(issues))])
        memory.index.refresh()
        memory.index.refresh()
        assert memory.search(content).total == 1  # the index follows at once
        return manifest_ids(memory.path)

    monkeypatch.setattr(current_index, "_LONG", 0.0)
    assert store("One", 1e9) == ["obs-1"]
    assert store("Two", 1e9) == ["obs-1"]
    assert store("Three", 0.0) == ["obs-1", "obs-2", "obs-3"]
    assert store("Four", 1e9) == ["obs-1", "obs-2", "obs-3"]
    assert memory.doctor.examine().healthy
    assert len(manifest_ids(memory.path) or ()) == 4
    store("Five", 1e9)
    memory.close()
    assert len(manifest_ids(memory.path) or ()) == 5


def test_settling_that_fails_is_told_and_done_by_the_next_write(memory: Memory) -> None:
    problems: list[MemoryProblem] = []
    memory.events.subscribe(MemoryProblem, problems.append)
    memory.store([observation()])
    (memory.path / MANIFEST).mkdir()
    memory.index.refresh()
    assert problems
    (memory.path / MANIFEST).rmdir()
    memory.store([observation("Two")])
    memory.close()
    assert manifest_ids(memory.path) == ["obs-1", "obs-2"]


def test_a_second_process_writes_and_is_seen(memory: Memory, tmp_path: Path) -> None:
    memory.store([observation("Ours")])
    code = (
        "import sys\nfrom pathlib import Path\nfrom store import Observation, open_memory\n"
        "with open_memory(sys.argv[1], cache=Path(sys.argv[2])) as memory:\n"
        "    print(*memory.store([Observation(agent='other', issue_number=7, category='error',"
        " content='Theirs')]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(memory.path), str(tmp_path / "cache")],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert _ids(memory) == sorted(["obs-1", done.stdout.strip()])
    assert memory.get(done.stdout.strip()).content == "Theirs"


def test_threads_share_one_memory(memory: Memory) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for at in range(3):
                memory.store([observation(f"From {number} at {at}", issue_number=number % 2)])
                memory.search("from")
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.search("from").total == 12
    memory.close()
    assert len(manifest_ids(memory.path) or ()) == 12


# -- reading -------------------------------------------------------------------------------------


def test_state_says_what_a_screen_needs(memory: Memory) -> None:
    write_issue(memory.path, 29, record("a", tokens=5), record("b", tokens=7, archived=True))
    (memory.path / "issue-7.json").write_text("<<<<<<<")
    state = memory.state()
    assert (state.path, state.writable) == (memory.path, True)
    assert (state.total, state.tokens, state.notice) == (2, 12, None)
    assert state.problems == (
        Problem("issue-7.json", "issue-7.json is not valid JSON at line 1: `{` is missing."),
    )


def test_queries_are_parsed_and_marked_for_the_screen(memory: Memory) -> None:
    assert memory.parse_query("agent:x lo").terms[0].text == "lo"
    assert memory.highlights("a lock", "loc") == ((2, 6),)
    assert memory.search_ids("lock") == []


def test_an_issue_number_is_checked(memory: Memory) -> None:
    for wrong in (-1, 10**9, "29"):
        with pytest.raises(InvalidObservation):
            memory.by_issue(wrong)  # type: ignore[arg-type]


# -- changing ------------------------------------------------------------------------------------


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.store([observation("One"), observation("Two"), observation("Three", issue_number=7)])
    return memory


def test_a_plan_touches_nothing_and_apply_does_it(filled: Memory, clock: Clock) -> None:
    told: list[MemoryChanged] = []
    filled.events.subscribe(MemoryChanged, told.append)
    plan = filled.plan.edit(["obs-1", "obs-3"], {"tags": ("seen",)})
    assert _ids(filled, "tag:seen") == []
    applied = filled.apply(plan)
    assert (applied.action.kind, applied.changed, applied.left) == ("edit", 2, ())
    assert _ids(filled, "tag:seen") == ["obs-1", "obs-3"]
    assert [(event.kind, event.observation_ids) for event in told] == [("edit", ("obs-1", "obs-3"))]
    filled.close()
    assert manifest_ids(filled.path) == ["obs-3", "obs-1", "obs-2"]


def test_archive_restore_and_remove(filled: Memory, clock: Clock) -> None:
    filled.apply(filled.plan.archive("obs-1"))
    assert (_ids(filled), _ids(filled, "is:archived")) == (["obs-2", "obs-3"], ["obs-1"])
    assert filled.get("obs-1").archived
    assert filled.stats().archived_observations == 1
    clock.pass_by(seconds=1)
    filled.apply(filled.plan.restore("obs-1"))
    assert _ids(filled, "is:archived") == []
    clock.pass_by(seconds=1)
    filled.apply(filled.plan.remove("obs-1"))
    assert _ids(filled) == ["obs-2", "obs-3"]
    with pytest.raises(NotFound):
        filled.plan.archive("obs-1")
    for _ in range(3):
        clock.pass_by(seconds=1)
        filled.undo()
    assert _ids(filled) == ["obs-1", "obs-2", "obs-3"]
    assert [info.kind for info in filled.history.operations()] == [
        *("undo", "undo", "undo", "remove", "restore", "archive", "add")
    ]
    assert [info.undone for info in filled.history.operations()] == [False] * 3 + [True] * 3 + [
        False
    ]


def test_an_added_observation_can_be_taken_back(memory: Memory, clock: Clock) -> None:
    applied = memory.apply(memory.plan.add([observation("Imported")], kind="import"))
    assert memory.history.operations()[0].action == Action("import", {"memories": 1})
    assert _ids(memory) == ["obs-1"]
    clock.pass_by(seconds=1)
    assert memory.undo(applied.operation_id).changed == 1
    assert _ids(memory) == []


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


def test_what_changed_since_is_left_and_named(filled: Memory, clock: Clock) -> None:
    filled.apply(filled.plan.edit(["obs-1", "obs-2"], {"pinned": True}))
    path = filled.path / "issue-29.json"
    path.write_text(path.read_text().replace('"content": "Two"', '"content": "Changed"'))
    clock.pass_by(seconds=1)
    undone = filled.undo()
    assert undone.changed == 1
    assert undone.left == (notice("memory-changed-since", id="obs-2", issue=29),)
    assert [item.pinned for item in filled.by_issue(29)] == [False, True]


def test_the_history_names_what_an_operation_was_about(filled: Memory) -> None:
    before = filled.history.operations()
    (identifier,) = filled.store([observation("Chose a shorter wait")])
    filled.apply(filled.plan.edit(identifier, {"summary": "Chose another wait"}))
    filled.apply(filled.plan.remove(identifier))
    told = [
        it.about
        for it in filled.history.operations()[: len(filled.history.operations()) - len(before)]
    ]
    assert told[:2] == ["Chose another wait", "Chose another wait"]


def test_history_is_forgotten_after_30_days(filled: Memory, clock: Clock) -> None:
    filled.apply(filled.plan.remove("obs-1"))
    clock.pass_by(days=29)
    filled.apply(filled.plan.remove("obs-2"))
    assert [it.kind for it in filled.history.operations()] == ["remove", "remove", "add"]
    for tag in ("one", "two"):
        clock.pass_by(days=2)
        filled.apply(filled.plan.edit("obs-3", {"tags": (tag,)}))
    assert [it.kind for it in filled.history.operations()] == ["edit", "edit", "remove"]
    with pytest.raises(NotFound):
        filled.undo("20260301")


def test_ids_may_be_endings_but_not_ambiguous_ones(memory: Memory) -> None:
    write_issue(memory.path, 29, record("x-1"), record("y-1"))
    assert memory.plan.remove("x-1").changes[0].id == "x-1"
    assert memory.plan.archive(["x-1", "y-1"]).action.figures == {"memories": 2}
    with pytest.raises(AmbiguousId):
        memory.plan.remove("-1")


def test_operations_are_logged_in_the_words_of_the_log(filled: Memory, clock: Clock) -> None:
    filled.apply(filled.plan.archive("obs-1"))
    clock.pass_by(seconds=1)
    filled.undo()
    entries = logged(filled.path)
    assert [entry["type"] for entry in entries[-2:]] == ["archived", "undone"]
    assert entries[-1]["observationIds"] == ["obs-1"]


def test_pinning_changes_nothing_else_of_a_foreign_record(memory: Memory) -> None:
    foreign = record(
        "keep-1", agent="The Architect", category="Key Fact", content="x" * 3_000, huge=10**30
    )
    path = write_issue(memory.path, 29, foreign)
    memory.apply(memory.plan.edit("keep-1", {"pinned": True}))
    assert records_in(path) == [{**foreign, "pinned": True}]


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


def test_the_manifest_follows_an_operation_and_its_undo(tmp_path: Path) -> None:
    manifest = tmp_path / FOLDER / MANIFEST
    with make_memory(tmp_path) as memory:
        (identifier,) = memory.store([observation("Chose plain files")])
    with make_memory(tmp_path) as memory:
        memory.apply(memory.plan.edit(identifier, {"summary": "Chose another way"}))
    assert '"Chose another way"' in manifest.read_text()
    with make_memory(tmp_path) as memory:
        memory.undo()
    assert '"Chose plain files"' in manifest.read_text()
    with make_memory(tmp_path) as memory:
        memory.redo()
    assert '"Chose another way"' in manifest.read_text()


def test_a_manifest_that_was_left_for_later_is_written_at_the_end(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.store([observation()])
        memory.index.settle()
        memory.store([observation("Locks go stale")])
        memory.index._listed = (float("inf"), 9.0)
        memory.index.refresh()
        assert manifest_ids(memory.path) == ["obs-1"]
    assert manifest_ids(memory.path) == ["obs-1", "obs-2"]


# -- what a failure beside the work leaves ---------------------------------------------------------


def _told(memory: Memory) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    memory.on_problem(lambda it: heard.append((it.kind, it.message)))
    return heard


def test_what_is_stored_stays_stored_where_its_operation_can_not_be_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> str:
        raise WriteFailed("The disk is full.", "Free some.")

    heard = _told(memory)
    monkeypatch.setattr("store.operations.service.keep_done", refuse)
    report = memory.add([observation()])
    assert (report.ids, report.operation_id) == (("obs-1",), "")
    assert heard == [("not-recorded", "The disk is full.")]
    assert _ids(memory) == ["obs-1"]
    assert memory.history.operations() == []


def test_what_was_captured_stays_where_its_session_can_not_be_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise WriteFailed("The disk is full.", "Free some.")

    heard = _told(memory)
    monkeypatch.setattr(memory.capture._sessions, "keep_session", refuse)
    said = "From now on requests are retried at most 3 times, because the gateway gives up then."
    made = ClaudeCode(session="s").user(said).agent("Done.")
    report = memory.capture.apply(memory.capture.plan([it.encode() for it in made.lines]))
    assert report.ids
    assert heard == [("session-not-kept", "The disk is full.")]
    assert memory.sessions.digests() == []


def test_what_is_forgotten_is_out_of_the_manifest_at_once(memory: Memory) -> None:
    memory.store([observation(), observation("Another")])
    memory.index.settle()
    memory.forget(memory.plan.forget(["obs-1"]))
    assert list(manifest_ids(memory.path) or ()) == ["obs-2"]


def test_a_plan_of_nothing_is_no_operation(memory: Memory, clock: Clock) -> None:
    memory.store([observation()])
    plan = memory.plan.archive(["obs-1"])
    memory.apply(plan)
    before = memory.history.operations()
    nothing = replace(plan, changes=())
    for applied in (memory.apply(nothing), apply_plan(memory.backend, nothing, clock())):
        assert applied == Applied("", plan.action, 0)
    assert memory.history.operations() == before


def test_a_message_and_a_session_are_read_by_their_ids(memory: Memory, tmp_path: Path) -> None:
    made = ClaudeCode(session="s-one").user("Does the lock hang?").agent("It waits.")
    (tmp_path / "s-one.jsonl").write_text("\n".join(made.lines))
    memory.sessions.index(list(files_at([tmp_path / "s-one.jsonl"], "claude-code")))
    memory.search("in:sessions lock")
    assert memory.get("s-one#1").content == "Does the lock hang?"
    assert memory.get("s-one#2", fresh=False).content == "It waits."
    with pytest.raises(NotFound):
        memory.get("s-one#9")


@pytest.mark.parametrize(
    ("scheme", "name", "data"), [("", "issue-7.json", b"{"), ("vault://", "qa/facts.md", b"\xff")]
)
def test_what_may_stand_in_a_file_that_can_not_be_read_is_not_said_to_be_nowhere(
    tmp_path: Path, scheme: str, name: str, data: bytes
) -> None:
    folder = tmp_path / "memory"
    with open_memory(f"{scheme}{folder}", cache=tmp_path / "cache") as memory:
        memory.store([observation("Locks are ours")])
        with pytest.raises(NotFound, match=r"^No memory has an id that ends in 'gone'\.$"):
            memory.get("gone")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        for ask in (memory.get, memory.get_redacted, memory.plan.remove):
            with pytest.raises(NotFound, match=r"^No memory that could be read has an id that"):
                ask("gone")


@pytest.mark.parametrize("fresh", [True, False])
def test_only_who_asks_for_the_newest_looks_at_the_files(memory: Memory, fresh: bool) -> None:
    memory.store([observation("Locks are ours", id="first-1")])
    assert _ids(memory) == ["first-1"]
    write_issue(memory.path, 31, record("later-2", content="Locks are theirs for five seconds"))
    assert memory.search("locks", fresh=fresh).total == 1 + fresh
    assert memory.statistics(fresh=fresh).figures.total.count == 1 + fresh
    assert ("theirs" in memory.recall.plan(task="locks", fresh=fresh).text) is fresh
    if not fresh:
        with pytest.raises(NotFound):
            memory.get("later-2", fresh=False)
        with pytest.raises(NotFound):
            memory.get_redacted("later-2", fresh=False)
    assert memory.get("later-2").id == "later-2"
    assert "theirs" in memory.recall.plan(task="locks").text


@pytest.mark.parametrize(("held", "size"), [(2, 0), (1, None)])
def test_a_memory_is_large_beyond_a_number(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, held: int, size: int | None
) -> None:
    memory.store([observation("One"), observation("Two")])
    monkeypatch.setattr("store.compaction.service.MANY_OBSERVATIONS", held)
    assert memory.upkeep.excess().size == (memory.backend.size() if size is None else size)


def test_a_session_put_to_sleep_without_a_branch_says_none(memory: Memory) -> None:
    said = [{"role": "user", "text": "Make the lock wait."}]
    memory.continuation.sleep("dev", said, "The lock waits.")
    memory.continuation.sleep("dev", said, "It waits longer.", branch="main")
    assert [dict(it.extra) for it in memory.by_issue(0)] == [{}, {"branch": "main"}]


@pytest.mark.parametrize("issue", [-1, 1_000_000_000, True])
def test_what_is_no_issue_is_refused_with_what_one_is(memory: Memory, issue: int) -> None:
    with pytest.raises(InvalidObservation) as refused:
        memory.by_issue(issue)
    assert (refused.value.message, refused.value.hint) == (
        f"{issue!r} is not an issue number.",
        "Use 0 for the project, or a number up to 9 digits.",
    )


@pytest.mark.parametrize(
    ("enabled", "recall_at_start", "at_start", "is_told"),
    [
        (True, True, True, True),
        (True, False, True, False),
        (True, False, False, True),
        (False, True, True, False),
        (False, True, False, False),
    ],
)
def test_memory_that_is_switched_off_tells_nothing(
    tmp_path: Path, enabled: bool, recall_at_start: bool, at_start: bool, is_told: bool
) -> None:
    chosen = Settings(enabled=enabled, recall_at_start=recall_at_start)
    with open_memory(tmp_path / "m", cache=tmp_path / "cache", settings=chosen) as memory:
        memory.store([observation("The lock waits for the manifest.")])
        asked = RecallRequest(task="lock", at_start=at_start)
        assert bool(memory.recall.plan(asked).text) is is_told
        assert memory.search("lock").total == 1


def test_only_issues_that_are_stale_are_compacted_as_such(tmp_path: Path) -> None:
    clock = Clock()
    with make_memory(tmp_path, clock) as memory:
        for issue, days in ((7, 400), (29, 80)):
            at = clock.now - timedelta(days=days)
            said = f"The lock timeout of store {issue} is 30 seconds by default."
            fields = {"issue_number": issue, "timestamp": at, "category": "key-fact"}
            agents = ("engineer", "architect")
            memory.store([observation(said, agent=it, **fields) for it in agents])

        def taken(**how: Any) -> set[int]:  # noqa: ANN401
            clusters = memory.compaction.plan(**how).clusters
            return {it.issue_number for cluster in clusters for it in cluster.originals}

        assert taken(all=True) == {7, 29}
        assert taken(stale=True) == {7}
        assert taken(issue=29) == {29}


def test_a_format_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.store([observation()])
        with pytest.raises(InvalidObservation, match="'jsonl' is not a folder of files"):
            memory.exchange.export_store(tmp_path / "out", format="jsonl")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["CLR-9999999999-001", "CLR-٣-001", "CLR-x-1", "", "clr-29-002"])
def test_a_clarification_that_is_not_there_is_said_to_be_none(tmp_path: Path, name: str) -> None:
    with make_memory(tmp_path) as memory:
        memory.clarifications.ask(29, Question("engineer", "architect", "Locks", "Which first?"))
        with pytest.raises(NotFound, match="No clarification"):
            memory.clarifications.answer(name, "architect", "This one")
        assert memory.clarifications.answer("clr-29-001", "architect", "This one").thread[1:]


def test_what_was_taken_back_was_not_brought(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for said in ("One.", "Two."):
            memory.apply(memory.plan.add([observation(said)], kind="import"))
        memory.undo()
        assert memory.history.brought_since(NOW - timedelta(days=1)) == {"obs-1"}
        assert memory.history.brought_since(NOW) == frozenset()


def test_a_plan_that_was_carried_out_already_tells_nothing(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.store([observation("One.")])
        plan = memory.plan.remove("obs-1")
        memory.apply(plan)
        logged = memory.backend.activity_stamp()
        assert memory.apply(plan).changed == 0
        assert memory.backend.activity_stamp() == logged
        assert [(it.kind, it.about) for it in memory.history.operations()] == [
            ("remove", "One."),
            ("add", "One."),
        ]
