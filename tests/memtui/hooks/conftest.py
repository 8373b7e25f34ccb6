"""Hooks that no slow machine makes give up; a test of giving up sets its own limit."""

from __future__ import annotations

import pytest

from memtui.hooks import run as running
from memtui.hooks import surroundings
from memtui.hooks.call import DUTIES

_LONG = 60.0


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_PATIENCE", _LONG)
    patient = {name: duties._replace(seconds=_LONG) for name, duties in DUTIES.items()}
    monkeypatch.setattr(running, "DUTIES", patient)
