"""Our theme, and the colours and marks of categories, derived from whatever theme is active."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from textual.color import Color
from textual.theme import Theme

from store.model import Category, Level, Verdict

MEMTUI_THEME = Theme(
    name="memtui",
    primary="#7cabf0",
    secondary="#b59df3",
    accent="#4fd1c5",
    success="#93cf7f",
    warning="#e8b45a",
    error="#ee8080",
    foreground="#cfd6e0",
    background="#12151a",
    surface="#181c23",
    panel="#1e232c",
    variables={"footer-key-foreground": "#4fd1c5"},
)
"""A calm dark theme with a single accent."""

MARKS: Mapping[str, str] = MappingProxyType(
    {
        Category.DECISION: "◆",
        Category.KEY_FACT: "●",
        Category.LESSON: "★",
        Category.PROJECT: "■",
        Category.CODE_CHANGE: "±",
        Category.ERROR: "×",
        Category.HANDOFF: "→",
        Category.COMPACTION_SUMMARY: "≡",
        Category.TASK: "○",
        Category.PROCEDURE: "§",
    }
)
"""One mark for each known category, one cell wide."""
DRIFT_MARKS: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.GONE: "✗", Verdict.MOVED: "↪", Verdict.CHANGED: "≈"}
)
"""The mark of a memory that no longer fits the code."""

_OTHER = "other"
_READABLE = 4.5
"""Contrast that WCAG 2 asks of text."""
_VISIBLE = 1.6
"""Enough for a thin line to be seen without being looked at."""

# Each category's colour as a blend of two of the theme's own: (one, other, share of the other).
_BLENDS: Mapping[str, tuple[str, str, float]] = MappingProxyType(
    {
        Category.DECISION: ("primary", "primary", 0.0),
        Category.KEY_FACT: ("primary", "success", 0.5),
        Category.LESSON: ("secondary", "secondary", 0.0),
        Category.PROJECT: ("secondary", "error", 0.5),
        Category.CODE_CHANGE: ("success", "success", 0.0),
        Category.ERROR: ("error", "error", 0.0),
        Category.HANDOFF: ("warning", "success", 0.5),
        Category.COMPACTION_SUMMARY: ("foreground", "background", 0.35),
        Category.TASK: ("warning", "warning", 0.0),
        Category.PROCEDURE: ("error", "warning", 0.45),
        _OTHER: ("foreground", "background", 0.35),
    }
)

# The terminal's own sixteen colours can't be blended, so each category names one.
_ANSI: Mapping[str, str] = MappingProxyType(
    {
        Category.DECISION: "ansi_blue",
        Category.KEY_FACT: "ansi_cyan",
        Category.LESSON: "ansi_magenta",
        Category.PROJECT: "ansi_bright_magenta",
        Category.CODE_CHANGE: "ansi_green",
        Category.ERROR: "ansi_red",
        Category.HANDOFF: "ansi_bright_green",
        Category.COMPACTION_SUMMARY: "ansi_default",
        Category.TASK: "ansi_yellow",
        Category.PROCEDURE: "ansi_bright_red",
        _OTHER: "ansi_default",
    }
)


LEVEL_MARKS: Mapping[str, str] = MappingProxyType({Level.MINE: "⌂", Level.TEAM: "∴"})
"""The one-cell marks of levels; what is of the project has none."""


def mark_of(category: str) -> str:
    """Return the one-cell mark of a category; a dot for one unknown to us."""
    return MARKS.get(category, "·")


def color_of(category: str) -> str:
    """Return the theme variable that holds a category's colour, ready for a Content style."""
    return f"$category-{category if category in MARKS else _OTHER}"


def theme_variables(theme: Theme) -> dict[str, str]:
    """Return the variables our sheets use beyond Textual's own, derived from `theme`.

    `category-*` and `dim` are readable on the theme's background, `faint` is for lines,
    `accent-text` is the accent made readable, `cursor` and `cursor-blurred` lie under the
    selected row.
    """
    if theme.ansi:
        return {
            **{f"category-{name}": color for name, color in _ANSI.items()},
            "dim": "ansi_bright_black",
            "faint": "ansi_bright_black",
            "accent-text": theme.accent or theme.primary,
            "cursor": "ansi_bright_black",
            "cursor-blurred": "ansi_default",
            "gauge-track": "ansi_bright_black",
        }
    color = colors_of(theme)
    ground, ink = color["background"], color["foreground"]
    variables = {
        f"category-{name}": readable(color[one].blend(color[other], share), ground).hex
        for name, (one, other, share) in _BLENDS.items()
    }
    variables["dim"] = readable(ink.blend(ground, 0.45), ground).hex
    variables["faint"] = readable(ink.blend(ground, 0.78), ground, contrast=_VISIBLE).hex
    variables["accent-text"] = readable(color["accent"], ground).hex
    variables["cursor"] = ground.blend(color["accent"], 0.17).hex
    variables["cursor-blurred"] = ground.blend(ink, 0.09).hex
    variables["gauge-track"] = ground.blend(ink, 0.16).hex
    return variables


def colors_of(theme: Theme) -> dict[str, Color]:
    """Return the theme's own colours, which ours are blended from."""
    generated = theme.to_color_system().generate()
    names = ("primary", "secondary", "accent", "success", "warning", "error")
    return {name: Color.parse(generated[name]) for name in (*names, "foreground", "background")}


def readable(color: Color, ground: Color, *, contrast: float = _READABLE) -> Color:
    """`color` moved towards white or black, as little as gives it `contrast` on `ground`."""
    pole = Color(255, 255, 255) if _luminance(ground) < 0.2 else Color(0, 0, 0)
    for step in range(21):
        candidate = color.blend(pole, step / 20, 1.0)
        if contrast_ratio(candidate, ground) >= contrast:
            return candidate
    return pole


def contrast_ratio(one: Color, other: Color) -> float:
    """Return the contrast of two colours, 1 to 21, by WCAG 2's formula."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """Relative luminance, 0 to 1, of an sRGB colour (WCAG 2)."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in color.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
