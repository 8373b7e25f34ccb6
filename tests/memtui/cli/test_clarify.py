"""`memtui clarify`: conversations between agents as the terminal shows them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.memtui.cli.conftest import Run

ASK = ("clarify", "ask", "--issue", "29", "--to", "architect", "--topic", "API contract")


def _ask(memtui: Run, text: str = "Which status?", *options: str) -> str:
    asked = memtui(*ASK, "--from", "engineer", *options, text)
    assert asked.code == 0 and "Undo with" in asked.err
    return str(asked.out.strip())


def _age_by(project: Path, minutes: int) -> None:
    """Move every time of the ledger back."""
    path = project / ".agentx" / "state" / "clarifications" / "issue-29.json"

    def earlier(match: re.Match[str]) -> str:
        time = datetime.fromisoformat(match[0]) - timedelta(minutes=minutes)
        return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    path.write_text(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", earlier, path.read_text()))


def test_what_is_late_is_asked_again_then_escalated_when_looked_at(
    memtui: Run, project: Path
) -> None:
    _ask(memtui)
    _age_by(project, 31)
    assert "did not answer in time; asked again" in memtui("clarify").err
    _age_by(project, 31)
    shown = memtui("clarify")
    assert "twice; escalated" in shown.err and "waits for a person" in shown.out
    assert "[ESCALATED] memtui" in shown.out
    assert memtui("undo", "--yes").code == 0
    answer = memtui("clarify", "answer", "CLR-29-001", "Use 404.", "--from", "maria")
    assert answer.code == 0  # undone, it was due again
    assert "maria answered, engineer to resolve, just now" in memtui("clarify").out


def test_a_broken_workflow_is_named_wherever_it_counts(memtui: Run, project: Path) -> None:
    workflow = project / ".agentx" / "workflows" / "team.toml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("[[steps")
    named = "workflows/team.toml"
    assert f"{named}: It is not valid TOML" in memtui("clarify").err
    assert f"{named}: It is not valid TOML" in memtui("doctor").out
    assert f"Fix {named}" in memtui(*ASK, "--from", "engineer", "Which status?").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("answer", "CLR-29-009", "x", "--from", "architect"), "No clarification 'CLR-29-009'"),
        (("answer", "CLR-29-001", "x", "--from", "reviewer"), "Only architect can answer"),
        (("resolve", "CLR-29-001", "--from", "engineer"), "has no answer"),
        (("abandon", "CLR-29-001", "--from", "architect"), "Only engineer can abandon"),
        (("answer", "CLR-29-001", " ", "--from", "architect"), "text is empty"),
    ],
)
def test_misuse_is_said_in_a_sentence(
    memtui: Run, project: Path, arguments: tuple[str, ...], said: str
) -> None:
    _ask(memtui)
    outcome = memtui("clarify", *arguments)
    assert outcome.code == 2 and said in outcome.err
    assert memtui("clarify", "abandon", "CLR-29-001", "--from", "engineer").code == 0
    assert "abandoned" in memtui("clarify").out
