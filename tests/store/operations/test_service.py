"""Operations on a memory: adding, layouts, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from store import Memory
from store.backends.issue_records import IssueRecords, Lookup
from store.doctor.findings import FindingKind
from store.errors import (
    AmbiguousId,
    Conflict,
    InvalidObservation,
    NotFound,
    NotSynced,
    StoreError,
    WriteFailed,
)
from store.events import MemoryChanged, MemoryStored
from store.model import Layout
from store.operations.batch import IdTaken, PartlyStored
from store.operations.layout import layout_of
from tests.store.factories import (
    Clock,
    logged,
    make_memory,
    observation,
    record,
    records_in,
    write_issue,
)
from tests.store.repositories import repository


@pytest.fixture
def filled(tmp_path: Path, clock: Clock) -> Memory:
    """A memory of four in three issues, each of another summary."""
    filled = make_memory(tmp_path, clock)
    filled.store([observation(f"Said {at}", issue_number=issue) for at, issue in
                  enumerate((31, 29, 30, 29), 1)])  # fmt: skip
    return filled


def _changed(filled: Memory) -> list[tuple[str, tuple[str, ...], int, str]]:
    heard: list[tuple[str, tuple[str, ...], int, str]] = []

    def hear(it: MemoryChanged) -> None:
        kind = it.action.kind if it.action else ""
        heard.append((it.kind, it.observation_ids, it.count, kind))

    filled.events.subscribe(MemoryChanged, hear)
    return heard


def _standing(filled: Memory) -> list[str]:
    return [it.id for issue in (29, 30, 31) for it in filled.by_issue(issue)]


def test_ids_are_found_in_any_issue_by_their_ends_and_keep_their_order(filled: Memory) -> None:
    write_issue(filled.path, 7, record("a-77", issueNumber=7), record("b-77", issueNumber=7))
    for plan in (filled.plan.remove, filled.plan.archive, filled.plan.forget):
        found = plan(["b-77", "s-4", "obs-1"])
        assert list(dict.fromkeys(it.id for it in found.changes)) == ["b-77", "obs-4", "obs-1"]
        assert {it.issue for it in found.changes} == {7, 29, 31}
        with pytest.raises(AmbiguousId):
            plan(["obs-1", "77"])
        with pytest.raises(NotFound):
            plan(["obs-1", "obs-9"])
    filled.apply(filled.plan.archive("obs-4"))
    assert [it.id for it in filled.plan.restore(["s-4"]).changes] == ["obs-4", "obs-4"]
    assert filled.plan.restore(["obs-1"]).is_empty


def test_what_came_to_stand_in_another_issue_is_not_brought_in_a_second_time(
    filled: Memory,
) -> None:
    plan = filled.plan.add([observation("New", id="new"), observation("Taken", id="taken")])
    write_issue(filled.path, 40, record("taken", issueNumber=40))
    heard = _changed(filled)
    with pytest.raises(Conflict, match="taken is now in issue 40; nothing changed"):
        filled.apply(plan)
    assert _standing(filled) == ["obs-2", "obs-4", "obs-3", "obs-1"]
    applied = filled.apply(filled.plan.remove(["obs-1", "obs-3"]))
    write_issue(filled.path, 41, record("obs-3", issueNumber=41))
    with pytest.raises(Conflict, match="obs-3 is now in issue 41"):
        filled.undo(applied.operation_id)
    (filled.path / "issue-41.json").unlink()
    filled.undo(applied.operation_id)
    assert _standing(filled) == ["obs-2", "obs-4", "obs-3", "obs-1"]
    added = filled.apply(filled.plan.add([observation("Late", id="late")]))
    filled.undo(added.operation_id)
    write_issue(filled.path, 42, record("late", issueNumber=42))
    with pytest.raises(Conflict, match="late is now in issue 42"):
        filled.redo()
    assert [it[0] for it in heard] == ["remove", "undo", "add", "undo"]


def test_who_goes_through_many_issues_is_told_and_may_stop(filled: Memory) -> None:
    told: list[tuple[int, int]] = []

    def goes_on(done: int, of: int) -> bool:
        told.append((done, of))
        return done < 2

    applied = filled.apply(filled.plan.remove(["obs-1", "obs-2", "obs-3"]), goes_on)
    assert (told, applied.changed) == ([(0, 3), (1, 3), (2, 3)], 2)
    assert [it.kind for it in applied.left] == ["stopped"]
    assert _standing(filled) == ["obs-4", "obs-3"]
    for again in (filled.undo, filled.redo):
        seen: list[tuple[int, int]] = []
        again(applied.operation_id, progress=lambda *it, seen=seen: seen.append(it))
        assert seen[0] == (0, 3)
        assert [of for _, of in seen] == [3] * len(seen)


@pytest.mark.parametrize("first", [29, 30])
def test_what_can_not_be_written_is_left_and_what_the_disk_did_not_confirm_is_said_so(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    changing = filled.backend.changing
    errors: dict[int, StoreError] = {
        first: NotSynced("Not confirmed.", ""),
        59 - first: WriteFailed("No room.", ""),
    }

    @contextmanager
    def failing(issue: int, lookup: Lookup | None = None) -> Iterator[IssueRecords]:
        if isinstance(error := errors.get(issue), WriteFailed):
            raise error
        with changing(issue, lookup) as records:
            yield records
        if error is not None:
            raise error

    monkeypatch.setattr(filled.backend, "changing", failing)
    applied = filled.apply(filled.plan.tag(["obs-3", "obs-2", "obs-1"], ["x"]))
    assert (applied.changed, applied.unfinished) == (1, True)
    assert {(it.kind, it.values["issue"], it.values["text"]) for it in applied.left} == {
        ("issue-changed", first, "Not confirmed."),
        ("issue-not-changed", 59 - first, "No room."),
    }


# What is told of a batch that was stored: ids in its order, what was cut, and to whom.


def _stored(memory: Memory) -> list[MemoryStored]:
    heard: list[MemoryStored] = []
    memory.events.subscribe(MemoryStored, heard.append)
    return heard


def test_ids_follow_the_batch_and_what_stood_already_is_counted(memory: Memory) -> None:
    memory.store([observation("Known", issue_number=31)])
    heard = _stored(memory)
    batch = [
        observation("Three", issue_number=31),
        observation("One", issue_number=29),
        observation("Known", issue_number=31),
        observation("One", issue_number=29),
        observation("One", issue_number=29, agent="qa"),
        observation("One", issue_number=29, category="error"),
        observation("Four", issue_number=31),
    ]
    report = memory.add(batch)
    standing = {it.id: it for issue in (29, 31) for it in memory.by_issue(issue)}
    assert [standing[it].content for it in report.ids] == [it.content for it in batch]
    assert report.ids[2] == "obs-1"
    assert report.ids[1] == report.ids[3]
    assert report.twins == (report.ids[3], "obs-1")
    assert [it.content for it in report.stored] == ["One", "One", "One", "Three", "Four"]
    seen = {it.id: it.seen_count for it in standing.values() if it.seen_count > 1}
    assert seen == {"obs-1": 2, report.ids[1]: 2}
    assert report.operation_id == memory.history.last_operation().id
    assert [(it.agent, it.issue_number, it.count, it.observation_ids) for it in heard] == [
        ("engineer", 29, 2, (report.ids[1], report.ids[5])),
        ("qa", 29, 1, (report.ids[4],)),
        ("engineer", 31, 2, (report.ids[0], report.ids[6])),
    ]
    assert {it.operation_id for it in heard} == {report.operation_id}
    assert [it.total_tokens for it in heard] == [2, 1, 3]
    memory.undo()
    assert sorted(it.content for issue in (29, 31) for it in memory.by_issue(issue)) == ["Known"]


def test_an_id_that_stands_twice_in_a_batch_is_refused(memory: Memory) -> None:
    twice = [observation("One", id="same"), observation("Three", id="same")]
    with pytest.raises(InvalidObservation, match="same already exists in issue 29"):
        memory.store(twice)
    with pytest.raises(IdTaken, match="same already exists in issue 29"):
        memory.store([twice[0], twice[1]._replace(issue_number=30)])
    assert [memory.by_issue(29), memory.by_issue(30)] == [[], []]
    alike = [observation("One", id="a"), observation("One", id="b")]
    assert memory.store(alike) == ["a", "a"]


def _refusing(memory: Memory, monkeypatch: pytest.MonkeyPatch, *issues: int) -> None:
    """Have issues whose files can't be written."""
    changing = memory.backend.changing

    def refusing(issue: int, lookup: Lookup | None = None) -> AbstractContextManager[IssueRecords]:
        if issue in issues:
            raise WriteFailed(f"Issue {issue} could not be written.", "Free some space.")
        return changing(issue, lookup)

    monkeypatch.setattr(memory.backend, "changing", refusing)


@pytest.mark.parametrize("broken", [29, 30, 31])
def test_what_could_be_written_of_a_batch_is_told_found_and_taken_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, broken: int
) -> None:
    memory.store([observation("Known")])
    _refusing(memory, monkeypatch, broken)
    issues = [it for it in (29, 30, 31) if it != broken]
    heard = _stored(memory)
    batch = [observation(f"Locks {it}", issue_number=it) for it in (31, 30, 29)]
    with pytest.raises(PartlyStored, match=r"^2 of 3 memories were stored\. ") as caught:
        memory.store(batch)
    written = [f"Locks {it}" for it in (31, 30, 29) if it != broken]
    assert [memory.get(it).content for it in caught.value.ids] == written
    assert [bool(it) for it in caught.value.report.ids] == [it != broken for it in (31, 30, 29)]
    assert [it.issue_number for it in heard] == issues
    assert memory.search("locks").total == 2
    assert caught.value.message.endswith(f"Issue {broken} could not be written.")
    assert [it["type"] for it in logged(memory.path)][-2:] == ["stored", "stored"]
    memory.undo(caught.value.report.operation_id)
    assert memory.search("locks").total == 0


# Another way of dividing records into files: an operation that changes no record.


def _other(spread: Memory) -> set[int]:
    assert spread.backend.files is not None
    return spread.backend.files.other_layout()


@pytest.fixture
def spread(tmp_path: Path) -> Memory:
    spread = make_memory(tmp_path)
    spread.store(
        [observation(f"Fact {at}", issue_number=issue) for at in "ab" for issue in (7, 29)]
    )
    spread.apply(spread.plan.archive("obs-1"))
    return spread


def held(spread: Memory) -> list[object]:
    backend = spread.backend
    return [one.observation for it in sorted(backend.issues()) for one in backend.read(it).held()]


def record_files(spread: Memory) -> set[str]:
    return {str(path.relative_to(spread.path)) for path in spread.path.rglob("issue-*.json")}


def test_a_layout_is_changed_and_taken_back(spread: Memory) -> None:
    before = held(spread)
    files = {name: records_in(spread.path / name) for name in record_files(spread)}
    applied = spread.apply(spread.plan.layout(Layout.EACH))
    assert applied.changed == 2
    assert not record_files(spread)
    assert held(spread) == before
    assert len(list(spread.path.glob("issue-*/*.json"))) == 3
    assert spread.search("").total == 3
    spread.index.settle()
    assert spread.doctor.examine().is_healthy
    assert spread.plan.layout(Layout.EACH).is_empty
    spread.undo()
    assert {name: records_in(spread.path / name) for name in record_files(spread)} == files
    assert not list(spread.path.glob("issue-*/"))
    spread.redo()
    assert held(spread) == before


def test_one_that_was_stopped_is_gone_on_with(spread: Memory) -> None:
    before = held(spread)
    applied = spread.apply(spread.plan.layout(Layout.EACH), lambda done, total: done < 1)
    assert applied.left
    assert held(spread) == before
    assert _other(spread) == {29}
    plan = spread.plan.layout(Layout.EACH)
    assert plan.action.figures["issues"] == 1
    spread.apply(plan)
    assert not _other(spread)
    assert spread.plan.layout(Layout.EACH).is_empty
    assert held(spread) == before


def test_a_layout_that_no_issue_could_be_written_in_is_not_kept(spread: Memory) -> None:
    spread.apply(spread.plan.layout(Layout.EACH))
    (spread.path / "pending").rename(spread.path.parent / "pending")
    (spread.path / "pending").symlink_to(spread.path.parent)
    with pytest.raises(Conflict, match="Nothing changed"):
        spread.apply(spread.plan.layout(Layout.PER_ISSUE))
    assert layout_of(spread.backend) is Layout.EACH
    found = [it for it in spread.doctor.examine().findings if it.path == "pending"]
    assert [it.kind for it in found] == ["unreadable-file"]


# What the journal says stands and no file has is offered, never taken by itself.


def test_what_git_took_from_the_files_is_brought_back(tmp_path: Path) -> None:
    git = repository(tmp_path)
    with make_memory(tmp_path) as memory:
        memory.store([observation("One"), observation("Two")])
        git("add", ".agentx/memory/issue-29.json")("commit", "-qm", "Keep")
        memory.store([observation("Three"), observation("Four")])
        memory.apply(memory.plan.edit("obs-3", {"content": "Three, edited"}))
        memory.apply(memory.plan.remove("obs-4"))
        memory.apply(memory.plan.archive("obs-2"))
        assert memory.plan.bring_back().is_empty
        git("checkout", "-q", ".")
        memory.index.refresh()
        [missing] = [
            it for it in memory.doctor.examine().findings if it.kind is FindingKind.MISSING
        ]
        assert missing.notice.values == {"memories": 1}
        memory.apply(memory.plan.bring_back())
        assert {it.content for it in memory.by_issue(29)} == {"One", "Two", "Three, edited"}
        memory.undo()
        assert {it.id for it in memory.by_issue(29)} == {"obs-1", "obs-2"}


def _notes(memory: Memory) -> list[str]:
    """The notes of all problems from now on."""
    notes: list[str] = []
    memory.on_problem(lambda it: notes.append(f"{it.kind} {it.message}"))
    return notes


def test_whoever_looks_next_is_told_once(tmp_path: Path) -> None:
    """Also where a hook, whose notes nobody reads, looked before."""
    with make_memory(tmp_path) as memory:
        memory.store([observation("One")])
        file = memory.path / "issue-29.json"
        older = file.read_bytes()
        memory.store([observation("Two"), observation("Three")])
        memory.apply(memory.plan.remove("obs-3"))
    file.write_bytes(older)
    with make_memory(tmp_path) as hook:
        hook.index.refresh_quickly(1_000_000)
    with make_memory(tmp_path) as memory:
        notes = _notes(memory)
        memory.index.refresh()
        assert notes == ["missing 1"]
        memory.index.refresh()
    with make_memory(tmp_path) as memory:
        later = _notes(memory)
        memory.index.refresh()
        assert (notes, later) == (["missing 1"], [])
