"""The promises of a compaction, held on a small set; the bench measures them on larger ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bench.retention import DATA, bank, measure
from tests.bench.reworded import reworded_set


def test_rewordings_fold_and_nothing_is_forgotten() -> None:
    row = measure("reworded", reworded_set(sessions=12))
    assert row.plan.observations.after <= 0.6 * row.plan.observations.before
    assert row.plan.tokens.after <= 0.6 * row.plan.tokens.before
    assert row.facts == 1
    assert row.identifiers == 1
    assert row.plain_facts >= 0.98


@pytest.mark.data
def test_real_memory_banks_lose_nothing() -> None:
    folder = Path(os.environ.get("MEMTUI_DATA", DATA)) / "data" / "memory-bank"
    if not folder.is_dir():
        pytest.skip(f"no memory banks in {folder}")
    row = measure("banks", list(bank(folder)))
    assert (row.facts, row.plain_facts, row.identifiers) == (1, 1, 1)
