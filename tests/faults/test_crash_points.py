"""No operation of the store loses, doubles or halves an observation, whichever call it dies at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import vault
from tests.faults.harness import Scenario, explore
from tests.faults.modes import Mode
from tests.faults.scenarios import DOOR, DRIVER, EACH, MORE, SCENARIOS

SAMPLE = 1
"""Calls struck in each mode in the normal suite."""
MINIMUM_POINTS = 15
"""File-system calls of the shortest operation; fewer would mean that calls go unseen."""

EVERY = [*SCENARIOS, *EACH, *MORE, *DOOR, *vault.VAULTS, *vault.MORE]
USUAL = [
    it
    for it in (*SCENARIOS, *EACH, *vault.VAULTS)
    if it.name not in ("store the first", "remove", "edit", "undo an import", "undo a repair")
]
"""Those that share no more than their words with another are left to the long tests."""


@pytest.mark.parametrize("scenario", USUAL, ids=[it.name for it in USUAL])
def test_an_operation_survives_faults_at_some_calls(scenario: Scenario, tmp_path: Path) -> None:
    report = explore(scenario, tmp_path, SAMPLE)
    assert not report.failures, "\n".join(map(str, report.failures))
    assert len(report.calls) >= MINIMUM_POINTS


@pytest.mark.parametrize("name", ["remove by plan", "archive"])
def test_what_changed_in_spite_of_an_error_can_be_undone(name: str, tmp_path: Path) -> None:
    scenario = next(it for it in SCENARIOS if it.name == name)
    report = explore(scenario, tmp_path, sample=16, modes=[Mode.IO_ERROR])
    assert not report.failures, "\n".join(map(str, report.failures))


def test_the_merge_driver_leaves_ours_or_the_merge(tmp_path: Path) -> None:
    """Whatever it dies of; where it lives and fails, git merges the lines."""
    modes = [it for it in Mode if not it.cuts_power and it.ends_the_process]
    report = explore(DRIVER, tmp_path, modes=[*modes, Mode.DISK_FULL, Mode.SHORT_WRITE])
    assert not report.failures, "\n".join(map(str, report.failures))
    assert report.runs >= len(modes) * 5


@pytest.mark.long
@pytest.mark.parametrize("scenario", EVERY, ids=[it.name for it in EVERY])
def test_an_operation_survives_every_fault_at_every_call(
    scenario: Scenario, tmp_path: Path
) -> None:
    report = explore(scenario, tmp_path)
    print(f"{scenario.name}: {len(report.calls)} calls, {report.runs} runs")
    assert not report.failures, "\n".join(map(str, report.failures))
