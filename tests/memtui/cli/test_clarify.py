"""`memtui clarify`: conversations between agents as the terminal shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run

ASK = ("clarify", "ask", "--issue", "29", "--to", "architect", "--topic", "API contract")


def test_a_broken_workflow_is_named_wherever_it_counts(memtui: Run, project: Path) -> None:
    workflow = project / ".agentx" / "workflows" / "team.toml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("[[steps")
    named = "workflows/team.toml"
    assert f"{named}: It is not valid TOML" in memtui("clarify").err
    assert f"{named}: It is not valid TOML" in memtui("doctor").out
    assert f"Fix {named}" in memtui(*ASK, "--from", "engineer", "Which status?").err


def test_misuse_is_said_in_a_sentence(memtui: Run, project: Path) -> None:
    assert "Undo with" in memtui(*ASK, "--from", "engineer", "Which status?").err
    for misuse, said in (
        ("answer CLR-29-009 x --from architect", "No clarification 'CLR-29-009'"),
        ("answer CLR-29-001 x --from reviewer", "Only architect can answer"),
        ("resolve CLR-29-001 --from engineer", "has no answer"),
        ("abandon CLR-29-001 --from architect", "Only engineer can abandon"),
    ):
        done = memtui("clarify", *misuse.split())
        assert done.code == 2 and said in done.err
    done = memtui("clarify", "answer", "CLR-29-001", " ", "--from", "architect")
    assert done.code == 2 and "text is empty" in done.err
    assert memtui("clarify", "abandon", "CLR-29-001", "--from", "engineer").code == 0
    assert "abandoned" in memtui("clarify").out


def test_what_is_not_there_leaves_nothing(
    memtui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty := tmp_path / "empty").mkdir()
    monkeypatch.chdir(empty)
    assert memtui("clarify", "resolve", "CLR-29-001", "--from", "engineer").code == 2
    assert not list(empty.iterdir())
