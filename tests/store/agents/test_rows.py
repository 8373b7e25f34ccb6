"""Whole outcomes of tables: rows of inputs for each module, in `rows/`."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from store.agents.registry import NAMES, client_named
from tests.rows import rows_in, told
from tests.store.agents.asks import ASKS
from tests.store.whole.plain import as_text

ROWS = sorted((Path(__file__).parent / "rows").glob("*.txt"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_what_comes_of_each_row(path: Path, snapshot: SnapshotAssertion) -> None:
    assert told(path, ASKS) == snapshot


def test_nothing_is_asked_in_vain() -> None:
    asked = {row.ask for path in ROWS for row in rows_in(path)}
    assert asked == ASKS.keys()


def test_what_each_client_is(snapshot: SnapshotAssertion) -> None:
    assert as_text({name: client_named(name) for name in (*NAMES, "vscode")}) == snapshot
