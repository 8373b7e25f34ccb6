"""What is found by who looks at the files, who does so quickly, and who asks the index as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store import Memory
from store.errors import LockTimeout, ReadOnly, StoreError
from tests.store.factories import make_memory, observation

PLENTY = 10_000_000


@pytest.fixture
def other(tmp_path: Path) -> Memory:
    """Another program, which has stored one memory that is found."""
    other = make_memory(tmp_path, prefix="other")
    other.store([observation("The lock waits.")])
    other.index.refresh()
    return other


@pytest.fixture
def memory(tmp_path: Path, other: Memory) -> Memory:
    return make_memory(tmp_path)


def _found(memory: Memory, *, fresh: bool = True) -> int:
    return memory.search("lock", fresh=fresh).total


def test_who_looked_quickly_looks_again_only_once_something_is_written_here(
    memory: Memory, other: Memory
) -> None:
    assert memory.index.refresh_quickly(PLENTY)
    assert _found(memory) == 1
    other.store([observation("The lock starves.", issue_number=30)])
    assert _found(memory) == 1, "no file is looked at again"
    memory.store([observation("The lock yields.", issue_number=31)])
    assert _found(memory) == 3


def test_where_too_much_changed_to_look_quickly_what_was_left_is_told(
    memory: Memory, other: Memory, tmp_path: Path
) -> None:
    other.store([observation("The lock starves.", issue_number=30)])
    assert not memory.index.refresh_quickly(1)
    assert memory.index.notice is not None
    assert _found(memory) == 1
    memory.store([observation("The lock yields.", issue_number=31)])
    memory.close()
    assert b"obs-1" not in (memory.path / "manifest.json").read_bytes(), "who opens next settles"
    with make_memory(tmp_path) as later:
        assert later.index.refresh_quickly(PLENTY)
        assert _found(later) == 3


@pytest.mark.parametrize("issues", [(30,), (31, 30), (30, 31, 32)])
def test_what_is_written_here_is_found_at_once_in_whatever_issues(
    memory: Memory, issues: tuple[int, ...]
) -> None:
    assert _found(memory) == 1
    memory.store([observation(f"The lock of {it}.", issue_number=it) for it in issues])
    assert _found(memory) == 1 + len(issues)
    memory.apply(memory.plan.archive([f"obs-{at + 1}" for at in range(len(issues))]))
    assert _found(memory) == 1
    memory.undo()
    assert _found(memory) == 1 + len(issues)


def test_while_recalls_are_counted_only_what_is_written_here_is_looked_for(
    memory: Memory, other: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up, found = memory.index.index.catch_up, list[int]()

    def counting(*given: Any, **how: Any) -> bool:  # noqa: ANN401
        if how.get("recount"):
            other.store([observation("The lock starves.", issue_number=30)])
            found.append(_found(memory))
            memory.store([observation("The lock yields.", issue_number=31)])
            found.append(_found(memory))
        return catch_up(*given, **how)

    found.append(_found(memory))
    monkeypatch.setattr(memory.index.index, "catch_up", counting)
    memory.index.count_recalls()
    assert found == [1, 1, 3]
    other.store([observation("The lock ends.", issue_number=32)])
    assert _found(memory) == 4


def test_a_small_listing_is_written_each_time(memory: Memory) -> None:
    for at in range(3):
        (made,) = memory.store([observation(f"The lock of {at}.", issue_number=30 + at)])
        memory.index.refresh()
        assert made.encode() in (memory.path / "manifest.json").read_bytes()


def test_a_refresh_says_whether_anything_changed(memory: Memory, other: Memory) -> None:
    memory.index.refresh()
    assert not memory.index.refresh()
    other.store([observation("The lock starves.", issue_number=30)])
    assert _found(memory, fresh=False) == 1
    told: list[tuple[int, int]] = []
    assert memory.index.refresh(lambda *it: told.append(it))
    assert told[-1] == (1, 1)
    assert _found(memory, fresh=False) == 2
    memory.store([observation("The lock yields.", issue_number=31)])
    assert memory.index.refresh()
    assert not memory.index.refresh()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (LockTimeout("It is held.", "", on="manifest.json"), ["lock-timeout"]),
        (StoreError("It lags.", ""), ["not-settled"]),
        (ReadOnly("It can't be written.", ""), []),
    ],
)
def test_what_can_not_be_settled_is_told_but_where_it_was_said_before(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, error: StoreError, told: list[str]
) -> None:
    def refused(*_: object) -> bool:
        raise error

    heard: list[tuple[str, str]] = []
    memory.on_problem(lambda it: heard.append((it.kind, it.message)))
    memory.store([observation("The lock yields.", issue_number=31)])
    with monkeypatch.context() as patch:
        patch.setattr(memory.backend, "settle", refused)
        memory.index.settle()
    assert heard == [(kind, error.message) for kind in told]
    memory.close()
    assert b"other-1" in (memory.path / "manifest.json").read_bytes()


def test_ids_are_found_in_the_issues_that_they_stand_in(memory: Memory) -> None:
    memory.store([observation(f"{it}", issue_number=it) for it in (31, 30)])
    find = memory.index.issues_of
    assert find(["obs-1", "none", "other-1", "obs-2"]) == {"obs-1": 31, "obs-2": 30, "other-1": 29}
    assert find(["obs-"]) == {}
    assert find([]) == {}
