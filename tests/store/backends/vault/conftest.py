"""A vault, for the tests of its backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.backends.vault.vaults import make_vault


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_vault(tmp_path / ".memory")
