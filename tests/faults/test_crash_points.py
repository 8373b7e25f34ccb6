"""No operation of the store loses, doubles or halves an observation, whichever call it dies at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.harness import Scenario, explore
from tests.faults.modes import Mode
from tests.faults.scenarios import DOOR, EACH, MORE, SCENARIOS

SAMPLE = 2
"""Calls struck in each mode in the normal suite."""
MINIMUM_POINTS = 15
"""File-system calls of the shortest operation; fewer would mean that calls go unseen."""

USUAL = [*SCENARIOS, *EACH]
EVERY = [*USUAL, *MORE, *DOOR]


@pytest.mark.parametrize("scenario", USUAL, ids=[it.name for it in USUAL])
def test_an_operation_survives_faults_at_some_calls(scenario: Scenario, tmp_path: Path) -> None:
    report = explore(scenario, tmp_path, SAMPLE)
    assert not report.failures, "\n".join(map(str, report.failures))
    assert len(report.calls) >= MINIMUM_POINTS


@pytest.mark.parametrize("name", ["remove by plan", "archive"])
def test_what_changed_in_spite_of_an_error_can_be_undone(name: str, tmp_path: Path) -> None:
    scenario = next(it for it in SCENARIOS if it.name == name)
    report = explore(scenario, tmp_path, modes=[Mode.IO_ERROR])
    assert not report.failures, "\n".join(map(str, report.failures))


@pytest.mark.long
@pytest.mark.parametrize("scenario", EVERY, ids=[it.name for it in EVERY])
def test_an_operation_survives_every_fault_at_every_call(
    scenario: Scenario, tmp_path: Path
) -> None:
    report = explore(scenario, tmp_path)
    print(f"{scenario.name}: {len(report.calls)} calls, {report.runs} runs")
    assert not report.failures, "\n".join(map(str, report.failures))
