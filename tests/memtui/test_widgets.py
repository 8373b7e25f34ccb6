"""Widgets by themselves, and the colours of the terminal's theme."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.color import Color
from textual.content import Content
from textual.theme import BUILTIN_THEMES, Theme

from memtui.tui.browse.result_row import Columns, Look, distinctions, draw_row
from memtui.tui.frame.theme import (
    LEVEL_MARKS,
    MARKS,
    MEMTUI_THEME,
    color_of,
    contrast_ratio,
    mark_of,
    theme_variables,
)
from memtui.tui.reports.overview import OverviewList
from memtui.tui.widgets.gauge import Forecast, Level, Part, bar, line_of
from store.model import Category, Hit, Observation

PARTS = st.lists(
    st.builds(
        Part,
        st.sampled_from(["decision", "error", "own-word"]),
        st.integers(1, 10**7),
        st.sampled_from(["", *LEVEL_MARKS]),
    ),
    unique_by=lambda part: (part.category, part.level),
)


@given(PARTS, st.integers(0, 10**6), st.integers(1, 60))
def test_the_bar_is_as_wide_as_it_should_be(parts: list[Part], limit: int, width: int) -> None:
    drawn = bar(parts, limit, width)
    assert drawn.cell_length == width
    if limit >= sum(part.amount for part in parts) and width >= 2:
        marks = {LEVEL_MARKS[part.level] for part in parts if part.level}
        assert {*drawn.plain} & {*LEVEL_MARKS.values()} == marks


@pytest.mark.parametrize(
    ("parts", "width", "drawn"),
    [
        ([Part("error", 20), Part("lesson", 30)], 10, "█" * 10),
        (
            [Part("error", 20, "team"), Part("error", 30), Part("task", 30, "mine")],
            10,
            "███⌂██∴███",
        ),
        ([Part("task", 98), Part("task", 1, "mine"), Part("task", 1, "team")], 4, "██⌂∴"),
        ([Part("task", 30, "mine"), Part("error", 50, "mine")], 10, "⌂█████████"),
        ([Part("task", 1, "mine")], 10, "⌂█████████"),
    ],
)
def test_each_level_begins_with_its_mark(parts: list[Part], width: int, drawn: str) -> None:
    assert bar(parts, 100, width).plain == drawn


def test_a_line_that_is_too_long_loses_whole_parts() -> None:
    forecast = Forecast(
        [Level([Part("error", 90)], 100, is_full=True)],
        "Next session",
        included=("12 memories", "2 messages"),
        left_out=3,
        client="Claude Code",
        branch="feature/42-login",
        missing="hooks missing, S adds",
    )
    ends = ("tokens", "hooks missing", "hooks missing, S adds")
    for width in range(16, 120):
        line = line_of(forecast, width).plain
        assert len(line) <= width
        assert line.endswith(ends)
    assert line_of(forecast, 77).plain == (
        "Claude Code: 12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )
    assert line_of(forecast, 50).plain == "Claude Code: 90 of 100 tokens · hooks missing"
    assert line_of(forecast, 60).plain == (
        "12 memories, 2 messages, 90 of 100 tokens · hooks missing"
    )


# The cursor of a list in groups passes over the headings.


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


# Rows of results: the figure they are in the order of, and what tells alike ones apart.


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


# theme


THEMES = {MEMTUI_THEME.name: MEMTUI_THEME, **BUILTIN_THEMES}
SHADED = {name: theme for name, theme in THEMES.items() if not theme.ansi}


def test_every_category_has_one_mark_of_one_cell() -> None:
    assert set(MARKS) == set(Category)
    assert len(set(MARKS.values())) == len(Category)
    assert all(cell_len(mark) == 1 for mark in MARKS.values())
    assert mark_of("unheard-of") == "·"
    assert color_of("unheard-of") == "$category-other"


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES.keys())
def test_every_theme_gives_every_variable(theme: Theme) -> None:
    variables = theme_variables(theme)
    assert set(variables) == set(theme_variables(MEMTUI_THEME))
    assert {color_of(category)[1:] for category in Category} <= set(variables)
    for value in variables.values():
        Color.parse(value)


@pytest.mark.parametrize("theme", SHADED.values(), ids=SHADED.keys())
def test_text_is_readable_in_every_theme(theme: Theme) -> None:
    ground = Color.parse(theme.to_color_system().generate()["background"])
    variables = theme_variables(theme)
    for name, value in variables.items():
        if name.startswith("category-") or name in {"dim", "accent-text"}:
            assert contrast_ratio(Color.parse(value), ground) >= 4.5, name


def test_our_own_theme_tells_the_categories_apart() -> None:
    variables = theme_variables(MEMTUI_THEME)
    colors = [variables[color_of(category)[1:]] for category in Category]
    assert len(set(colors)) == len(Category)
