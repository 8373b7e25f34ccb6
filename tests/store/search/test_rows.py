"""Whole outcomes of tables: what queries mean, what they find and mark, what a task brings up."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.rows import rows_in, told
from tests.store.search.asks import ASKS

ROWS = sorted((Path(__file__).parent / "rows").glob("*.txt"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_what_comes_of_each_row(path: Path, snapshot: SnapshotAssertion) -> None:
    assert told(path, ASKS) == snapshot


def test_nothing_is_asked_in_vain() -> None:
    asked = {row.ask for path in ROWS for row in rows_in(path)}
    assert asked == ASKS.keys()
