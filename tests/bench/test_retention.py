"""The promises of a compaction, held on a small set; the bench measures them on larger ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.compaction.model import Strength
from tests.bench.retention import DATA, HARDER, bank, measure, plainly_kept
from tests.bench.reworded import reworded_set


@pytest.mark.parametrize("strength", list(Strength))
def test_rewordings_fold_and_nothing_is_forgotten(strength: Strength) -> None:
    row = measure("reworded", reworded_set(sessions=12), strength)
    assert row.plan.observations_after <= 0.6 * row.plan.observations_before
    assert row.plan.tokens_after <= 0.6 * row.plan.tokens_before
    assert row.facts == 1
    assert row.identifiers == 1
    assert row.plain_facts >= 0.98


def test_nothing_is_forgotten_where_much_is_reworded() -> None:
    memories = reworded_set(sessions=16, agents=4, rules=HARDER)
    row = measure("harder", memories, Strength.NORMAL)
    assert row.plan.observations_after <= 0.6 * row.plan.observations_before
    assert row.facts == 1


def test_the_plain_reader_sees_what_is_lost() -> None:
    assert plainly_kept("Keep src/a.py at 30 with Caroline", "With Caroline: keep src/a.py at 30")
    assert not plainly_kept("Keep src/a.py at 30", "Keep src/a.py at 5")
    assert not plainly_kept("We asked, and Caroline agreed", "We asked, and it was agreed")
    assert not plainly_kept("alpha bravo delta gamma", "alpha bravo delta")


@pytest.mark.data
@pytest.mark.parametrize("strength", list(Strength))
def test_real_memory_banks_lose_nothing(strength: Strength) -> None:
    folder = Path(os.environ.get("MEMTUI_DATA", DATA)) / "data" / "memory-bank"
    if not folder.is_dir():
        pytest.skip(f"no memory banks in {folder}")
    row = measure("banks", list(bank(folder)), strength)
    assert (row.facts, row.plain_facts, row.identifiers) == (1, 1, 1)
