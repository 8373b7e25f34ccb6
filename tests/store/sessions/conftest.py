"""A memory whose sessions are indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

from store import Memory, open_memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "memory", cache=tmp_path / "cache")
