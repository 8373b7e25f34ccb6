from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from memtui.tui.frame.theme import (
    MARKS,
    MEMTUI_THEME,
    color_of,
    contrast_ratio,
    mark_of,
    theme_variables,
)
from store.model import Category

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
