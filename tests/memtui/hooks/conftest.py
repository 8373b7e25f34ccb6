"""Hooks that no slow machine makes give up; a test of giving up sets its own limit."""

from __future__ import annotations

import pytest

from memtui.hooks import run as running
from memtui.hooks import surroundings

_LONG = 60.0


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_PATIENCE", _LONG)
    monkeypatch.setattr(running, "_SECONDS", dict.fromkeys(running._SECONDS, _LONG))
    monkeypatch.setattr(running, "_CAPTURE_SECONDS", _LONG)
