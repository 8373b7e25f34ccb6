"""Hooks with a cache of their own, and that no slow machine makes give up."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.hooks import run as running
from memtui.hooks import surroundings
from memtui.hooks.call import DUTIES

_LONG = 60.0


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_PATIENCE", _LONG)
    patient = {name: duties._replace(seconds=_LONG) for name, duties in DUTIES.items()}
    monkeypatch.setattr(running, "DUTIES", patient)
