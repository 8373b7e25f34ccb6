"""Who may ask whom, as the workflows of a project say it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from store.clarifications.workflows import read_workflows
from store.model import Problem


def test_all_steps_of_an_agent_count_within_the_tightest_limits(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        '[[steps]]\nagent = "engineer"\ncan_clarify = ["architect"]\nclarify_max_rounds = 4\n'
        '[[steps]]\ntitle = "no agent"\nclarify_max_rounds = 1\n'
        "[[steps]]\nagent = 5\n"
    )
    (tmp_path / "b.toml").write_text(
        '[workflow.step.x]\nagent = "engineer"\ncan_clarify = ["reviewer"]\n'
        "clarify_max_rounds = 2\nclarify_sla_minutes = 7\nclarify_blocking_allowed = false\n"
        '[workflow.step.y]\nagent = "reviewer"\n'
    )
    (tmp_path / "c.toml").write_text("no = ")
    (tmp_path / "d.txt").write_text("no = ")
    found = read_workflows(tmp_path, tmp_path)
    assert found.scopes.keys() == {"engineer", "reviewer"}
    assert "" not in found.order
    assert found.order[:2] == ("engineer", "reviewer")
    assert len(set(found.order)) == len(found.order)
    engineer, reviewer = found.scopes["engineer"], found.scopes["reviewer"]
    assert engineer.can_clarify == frozenset({"architect", "reviewer"})
    assert (engineer.max_rounds, engineer.blocking_allowed) == (2, False)
    assert engineer.sla == timedelta(minutes=7)
    assert (reviewer.can_clarify, reviewer.max_rounds) == (frozenset(), None)
    assert reviewer.blocking_allowed
    assert [it.path for it in found.problems] == ["workflows/c.toml"]
    assert read_workflows(tmp_path / "gone", tmp_path).scopes == {}


def test_a_workflow_that_leads_out_is_named_and_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.toml").symlink_to("/etc/hostname")
    (tmp_path / "b.toml").write_text('[[steps]]\nagent = "engineer"\n')
    found = read_workflows(tmp_path, tmp_path)
    assert [it.path for it in found.problems] == ["workflows/a.toml"]
    assert found.order[0] == "engineer"


def test_a_step_that_is_no_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('steps = [1, "x", {agent = "engineer"}]\n')
    (tmp_path / "b.toml").write_text('workflow = 7\nsteps = 7\nstep = {a = {agent = "reviewer"}}\n')
    assert read_workflows(tmp_path, tmp_path).order[:2] == ("engineer", "reviewer")


def test_a_folder_that_cant_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def listed(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", listed)
    found = read_workflows(tmp_path, tmp_path)
    assert found.scopes == {}
    assert found.problems == (
        Problem("workflows", "The folder can't be listed: Permission denied."),
    )
