"""A capture is an operation: it stands in the history, and `undo` takes it back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.store.factories import make_memory, observation

LINES = [
    json.dumps(
        [
            {"role": "user", "content": "Always run the migrations in one transaction."},
            {"role": "assistant", "content": "We decided to use SQLite for the queue."},
        ]
    ).encode()
]


def test_a_capture_is_taken_back_and_nothing_else(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        memory.apply(memory.plan.add([observation("Kept by hand")]))
        plan = memory.capture.plan(LINES, agent="engineer", issue=29, environ={}, session_id="s1")
        report = memory.capture.apply(plan)
        assert report.stored
        last = memory.history.last_operation()
        assert (last.id, last.kind) == (report.operation_id, "capture")
        memory.undo()
        assert [item.content for item in memory.by_issue(29)] == ["Kept by hand"]
        assert memory.search("migrations").total == 0


def test_a_session_whose_capture_is_undone_is_told_no_more_until_it_is_redone(
    tmp_path: Path,
) -> None:
    """Also without a look at the files, as the app asks."""

    def told() -> tuple[int, ...]:
        return tuple(
            memory.recall.plan(None, 30, "migrations in a transaction", fresh=False).counts
        )

    with make_memory(tmp_path) as memory:
        plan = memory.capture.plan(LINES, agent="engineer", issue=29, environ={}, session_id="s1")
        memory.capture.apply(plan)
        assert sum(told()) > 0
        memory.undo()
        memory.index.refresh()
        assert told() == (0, 0, 0)
        memory.redo()
        memory.index.refresh()
        assert sum(told()) > 0


def test_what_is_said_again_later_counts_as_seen_again(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        for number in (1, 2, 3):
            plan = memory.capture.plan(
                LINES, agent="engineer", issue=29, environ={}, session_id=f"s{number}"
            )
            memory.capture.apply(plan)
        assert {it.seen_count for it in memory.by_issue(29)} == {3}
