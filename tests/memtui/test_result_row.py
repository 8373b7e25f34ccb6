"""Rows of results: the figure they are in the order of, and what tells alike ones apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memtui.tui.browse.result_row import Columns, Look, distinctions, draw_row
from store.model import Hit, Observation

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def hit(identifier: str, summary: str, snippet: str = "", **fields: int) -> Hit:
    entry = Observation("qa", 3, "error", "", identifier, summary, 1_204, NOW, **fields)  # type: ignore[arg-type]
    return Hit(entry, 1.0, snippet, ((0, 4),) if snippet else ())


@pytest.mark.parametrize(
    ("order", "figure"),
    [("tokens", "  1,204 tok  "), ("recalled", "  12×  "), ("newest", " now  It broke")],
)
def test_a_row_shows_what_the_list_is_in_the_order_of(order: str, figure: str) -> None:
    found = hit("obs-1", "It broke", recall_count=12)
    columns = Columns.of([found], NOW, order).within(80)
    assert figure in draw_row(found, columns, Look("  ", order), NOW, 80).plain


def test_rows_that_look_alike_are_told_apart() -> None:
    same = [hit("obs-aaaaa1", "It broke"), hit("obs-aaaaa2", "It broke")]
    passages = [hit("b1", "Locks wait", "lock timeout"), hit("b2", "Retry", "lock timeout")]
    alone = hit("c1", "Alone")
    entry = hit("obs-aaaaa3", "It broke").entry._replace(timestamp=NOW - timedelta(days=3))
    earlier = Hit(entry, 1.0)
    apart = distinctions([*same, *passages, alone, earlier], NOW)
    assert apart == {
        "obs-aaaaa1": "aaaaa1",
        "obs-aaaaa2": "aaaaa2",
        "b1": "Locks wait",
        "b2": "Retry",
    }
    columns = Columns.of(passages, NOW, "")
    row = draw_row(passages[0], columns, Look("  ", "", apart["b1"]), NOW, 80).plain
    assert row.rstrip().endswith("Locks wait · lock timeout")
