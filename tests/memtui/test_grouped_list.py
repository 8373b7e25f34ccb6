"""The cursor of a list in groups passes over the headings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from memtui.tui.reports.overview import OverviewList


class Numbers(OverviewList[int]):
    def row_key(self, row: int) -> str:
        return str(row)

    def draw(self, row: int, index: int, width: int) -> Content:
        return Content(str(row))


class Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield Numbers()


@pytest.mark.parametrize(
    ("rows", "keys", "at"),
    [
        (["few", 1, 2, "many", 30], "", 1),
        (["few", 1, 2, "many", 30], "jj", 30),
        (["few", 1, 2, "many", 30], "jjk", 2),
        (["few", 1, 2, "many", 30], "jjg", 1),
        ([1, 2, "nothing more"], "G", 2),
        (["nothing at all"], "jk", None),
        ([], "jk", None),
    ],
)
async def test_the_cursor_goes_on_in_its_direction_else_back(
    rows: Sequence[int | str], keys: str, at: int | None
) -> None:
    async with Shown().run_test() as pilot:
        shown = pilot.app.query_one(Numbers)
        shown.focus()
        shown.list_rows(rows)
        await pilot.press(*keys)
        assert shown.at == at


async def test_the_cursor_stays_on_its_row_among_others() -> None:
    async with Shown().run_test() as pilot:
        shown = pilot.app.query_one(Numbers)
        shown.list_rows([1, 2, 3])
        shown.cursor = 1
        shown.list_rows(["new", 7, 8, "old", 1, 2, 3])
        assert (shown.cursor, shown.at) == (5, 2)
        shown.list_rows([9, 2], keep=False)
        assert shown.at == 2


async def test_fewer_rows_keep_the_cursor_among_them() -> None:
    async with Shown().run_test() as pilot:
        shown = pilot.app.query_one(Numbers)
        shown.list_rows(["few", 1, 2, "many", 30])
        shown.cursor = 4
        shown.list_rows(["few", 1, "many"])
        assert shown.at == 1
        shown.list_rows([])
        assert shown.at is None
