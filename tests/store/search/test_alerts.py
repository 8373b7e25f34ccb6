"""Alerts of SPEC-29 §12.3: their texts, each told once, in the log and to who listens."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.backends.files.backend import FilesBackend
from store.search import alerts
from tests.store.factories import make_memory, observation


def test_of_two_limits_each_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    sizes = iter((40_000_001, 40_000_001, 40_000_000, 40_000_001))
    with make_memory(tmp_path) as memory:
        memory.on_problem(lambda it: heard.append(it.kind))
        for at, most in enumerate((9, 1, 1, 1)):
            size = next(sizes)
            monkeypatch.setattr(alerts, "MANY_OBSERVATIONS", most)
            monkeypatch.setattr(FilesBackend, "size", lambda self, size=size: size)
            memory.store([observation(f"Lock {at}")])
            memory.index.settle()
    assert heard == ["store-large", "store-many", "store-large"]
