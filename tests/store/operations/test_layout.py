"""Another way of dividing records into files: an operation that changes no record."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory
from store.errors import Conflict
from store.model import Layout
from store.operations.layout import layout_of
from tests.store.factories import make_memory, observation, records_in


def _other(memory: Memory) -> set[int]:
    assert memory.backend.files is not None
    return memory.backend.files.other_layout()


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = make_memory(tmp_path)
    memory.store(
        [observation(f"Fact {at}", issue_number=issue) for at in "ab" for issue in (7, 29)]
    )
    memory.apply(memory.plan.archive("obs-1"))
    return memory


def held(memory: Memory) -> list[object]:
    backend = memory.backend
    return [one.observation for it in sorted(backend.issues()) for one in backend.read(it).held()]


def record_files(memory: Memory) -> set[str]:
    return {str(path.relative_to(memory.path)) for path in memory.path.rglob("issue-*.json")}


def test_a_layout_is_changed_and_taken_back(memory: Memory) -> None:
    before = held(memory)
    files = {name: records_in(memory.path / name) for name in record_files(memory)}
    applied = memory.apply(memory.plan.layout(Layout.EACH))
    assert applied.changed == 2
    assert not record_files(memory)
    assert held(memory) == before
    assert len(list(memory.path.glob("issue-*/*.json"))) == 3
    assert memory.search("").total == 3
    memory.index.settle()
    assert memory.doctor.examine().is_healthy
    assert memory.plan.layout(Layout.EACH).is_empty
    memory.undo()
    assert {name: records_in(memory.path / name) for name in record_files(memory)} == files
    assert not list(memory.path.glob("issue-*/"))
    memory.redo()
    assert held(memory) == before


def test_one_that_was_stopped_is_gone_on_with(memory: Memory) -> None:
    before = held(memory)
    applied = memory.apply(memory.plan.layout(Layout.EACH), lambda done, total: done < 1)
    assert applied.left
    assert held(memory) == before
    assert _other(memory) == {29}
    plan = memory.plan.layout(Layout.EACH)
    assert plan.action.figures["issues"] == 1
    memory.apply(plan)
    assert not _other(memory)
    assert memory.plan.layout(Layout.EACH).is_empty
    assert held(memory) == before


def test_a_layout_that_no_issue_could_be_written_in_is_not_kept(memory: Memory) -> None:
    memory.apply(memory.plan.layout(Layout.EACH))
    (memory.path / "pending").rename(memory.path.parent / "pending")
    (memory.path / "pending").symlink_to(memory.path.parent)
    with pytest.raises(Conflict, match="Nothing changed"):
        memory.apply(memory.plan.layout(Layout.PER_ISSUE))
    assert layout_of(memory.backend) is Layout.EACH
    found = [it for it in memory.doctor.examine().findings if it.path == "pending"]
    assert [it.kind for it in found] == ["unreadable-file"]
