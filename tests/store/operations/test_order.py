"""What an operation took comes back where it stood, and the last operation is the last."""

from __future__ import annotations

from pathlib import Path

from tests.store.factories import make_memory, observation


def test_what_went_comes_back_where_it_stood(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        ids = memory.store([observation(f"Fact number {n}") for n in range(6)])
        archived = memory.apply(memory.plan.archive([ids[1], ids[4]]))
        removed = memory.apply(memory.plan.remove([ids[2]]))
        [late] = memory.store([observation("Stored in between")])
        memory.undo(removed.operation_id)
        memory.undo(archived.operation_id)
        assert [item.id for item in memory.by_issue(29)] == [*ids, late]


def test_the_last_operation_is_undone_first_within_one_millisecond(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        ids = memory.store([observation(f"Fact number {n}") for n in range(12)])
        for identifier in ids:
            memory.apply(memory.plan.edit(identifier, {"pinned": True}))
        for left in range(11, -1, -1):
            memory.undo()
            pinned = [item.id for item in memory.by_issue(29) if item.pinned]
            assert pinned == ids[:left]
