"""The cursor of a list in groups passes over the headings."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from memtui.tui.reports.overview import GroupedList


class Numbers(GroupedList[int]):
    def row_key(self, index: int) -> str:
        return str(self.rows[index])

    def row(self, index: int, width: int) -> Content:
        return Content(str(self.rows[index]))


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
        shown.show_groups(rows)
        await pilot.press(*keys)
        assert shown.at == at


async def test_fewer_rows_keep_the_cursor_among_them() -> None:
    async with Shown().run_test() as pilot:
        shown = pilot.app.query_one(Numbers)
        shown.show_groups(["few", 1, 2, "many", 30])
        shown.cursor = 4
        shown.show_groups(["few", 1, "many"])
        assert shown.at == 1
        shown.show_groups([])
        assert shown.at is None
