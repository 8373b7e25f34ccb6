"""What is told of a batch that was stored: ids in its order, what was cut, and to whom."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from store import Memory
from store.backends.issue_records import IssueRecords, Lookup
from store.errors import InvalidObservation, WriteFailed
from store.events import MemoryStored
from store.operations.batch import IdTaken, PartlyStored
from tests.store.factories import logged, observation


def _heard(memory: Memory) -> list[MemoryStored]:
    heard: list[MemoryStored] = []
    memory.events.subscribe(MemoryStored, heard.append)
    return heard


def test_ids_follow_the_batch_and_what_stood_already_is_counted(memory: Memory) -> None:
    memory.store([observation("Known", issue_number=31)])
    heard = _heard(memory)
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
    heard = _heard(memory)
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
