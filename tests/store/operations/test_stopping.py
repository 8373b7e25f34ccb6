"""Stopping between two issues: what is done is whole, and can be taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from store.backends.files.issue_reader import read_issue
from store.operations.apply import apply_plan
from store.operations.changes import plan_archive
from store.operations.plan import Move
from tests.store.factories import NOW, make_store, record, write_issue


def test_what_is_moved_last_stays_where_the_plan_is_stopped(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    for issue in (1, 2):
        write_issue(store.folder, issue, record(f"a{issue}", issueNumber=issue))
    file = write_issue(store.folder, 7, record("c", issueNumber=7))
    where = {issue: read_issue(store.folder, issue) for issue in (1, 2)}
    plan = replace(
        plan_archive(where, ["a1", "a2"]),
        moves=(Move("issue-7.json", "quarantine/issue-7.json"),),
        moves_last=True,
    )
    applied = apply_plan(store, plan, NOW, goes_on=lambda done, total: done < 1)
    assert applied.changed == 1
    assert file.exists()
