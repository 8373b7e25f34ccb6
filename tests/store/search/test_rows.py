"""Whole outcomes of tables: what queries mean, what they find and mark, what a task brings up."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.search.figures import DAYS, index_figures
from store.search.totals import held, index_stats
from tests.rows import rows_in, told
from tests.store.factories import NOW
from tests.store.search.asks import ASKS, index

ROWS = sorted((Path(__file__).parent / "rows").glob("*.txt"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_what_comes_of_each_row(path: Path, snapshot: SnapshotAssertion) -> None:
    assert told(path, ASKS) == snapshot


def test_nothing_is_asked_in_vain() -> None:
    asked = {row.ask for path in ROWS for row in rows_in(path)}
    assert asked == ASKS.keys()


def test_the_figures_of_all_that_is_held(snapshot: SnapshotAssertion) -> None:
    made = index()
    figures = asdict(index_figures(made.searcher, made.schema, NOW))
    days = figures.pop("days")
    figures["days"] = {at - DAYS: count for at, count in enumerate(days) if count}
    stats = index_stats(made.searcher, made.schema, 7)._asdict()
    assert held(made.searcher, made.schema) == (stats["total_observations"], stats["total_tokens"])
    told = [f"{name}: {it}" for found in (figures, stats) for name, it in found.items()]
    assert "\n".join(told) == snapshot
