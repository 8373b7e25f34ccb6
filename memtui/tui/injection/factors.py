"""The factors of a score on screen: a colour, a place in the bar, and words for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.theme import Theme

from memtui.tui.frame.theme import colors_of, readable

if TYPE_CHECKING:
    from store.recall.values import ScoredCandidate

_NAMED = 0.005
"""What a factor must give to be named."""
_SEEN = 3.0
"""Contrast that WCAG 2 asks of graphics."""
_TASK, _WORK, _TIME = "primary", "secondary", "warning"
_LIGHTER, _DARKER = "foreground", "background"


class Factor(NamedTuple):
    """The look of a factor, and the reason why it counts.

    `blend` is (one, other, share of the other) of the theme's colours; factors of a kind share a
    hue. `ansi` is its colour among the terminal's sixteen.
    """

    why: str
    blend: tuple[str, str, float]
    ansi: str


FACTORS: Mapping[str, Factor] = MappingProxyType(
    {
        "answer": Factor("answers the prompt", (_TASK, _LIGHTER, 0.4), "ansi_bright_blue"),
        "relevance": Factor("matches the task", (_TASK, _TASK, 0.0), "ansi_blue"),
        "keywords": Factor("has words of the task", (_TASK, _TASK, 0.0), "ansi_blue"),
        "path": Factor("its file path matches the task", (_TASK, _DARKER, 0.4), "ansi_bright_cyan"),
        "session": Factor(
            "from the issue's last session", (_WORK, _LIGHTER, 0.5), "ansi_bright_magenta"
        ),
        "recency": Factor("recent", (_TIME, _TIME, 0.0), "ansi_yellow"),
        "recall": Factor("recalled before", (_LIGHTER, _DARKER, 0.4), "ansi_white"),
    }
)
"""In the order of a bar and of the legend."""

_OTHER = Factor("by a custom ranker", (_LIGHTER, _DARKER, 0.2), "ansi_default")
_ORDER = {name: at for at, name in enumerate(FACTORS)}


def factor_style(name: str) -> str:
    """Return the theme variable that holds a factor's colour, ready for a Content style."""
    return f"$factor-{name if name in FACTORS else 'other'}"


def factor_variables(theme: Theme) -> dict[str, str]:
    """Return the colours of the factors, visible on the theme's background."""
    known = {**FACTORS, "other": _OTHER}
    if theme.ansi:
        return {f"factor-{name}": factor.ansi for name, factor in known.items()}
    color = colors_of(theme)
    variables = {}
    for name, factor in known.items():
        one, other, share = factor.blend
        blended = color[one].blend(color[other], share)
        variables[f"factor-{name}"] = readable(blended, color["background"], contrast=_SEEN).hex
    return variables


def in_order(names: Iterable[str]) -> list[str]:
    """Factors in the order of the bar, those unknown to us last."""
    return sorted(names, key=lambda name: (_ORDER.get(name, len(_ORDER)), name))


def strongest(candidate: ScoredCandidate) -> str:
    """Say in words which factors give a candidate most."""
    strong = sorted(
        (name for name, value in candidate.factors.items() if value > _NAMED),
        key=lambda name: (-candidate.factors[name], name),
    )
    return ", ".join(FACTORS.get(name, _OTHER).why for name in strong[:3])


def score_bar(factors: Mapping[str, float], best: float, width: int) -> Content:
    """Return a stacked bar of `width` cells, in which the score `best` would fill all.

    What a negative factor takes away from the others is dotted, at the end of the bar.
    """
    if best <= 0 or width <= 0:
        return Content(" " * max(0, width))
    gains = [(name, factors[name]) for name in in_order(factors) if factors[name] > 0]
    gained = sum(value for _, value in gains)
    lost = -sum(value for value in factors.values() if value < 0)
    scale = max(best, gained)
    stays = round(width * max(0.0, gained - lost) / scale)
    parts: list[tuple[str, str]] = []
    drawn, summed = 0, 0.0
    for name, value in gains:
        summed += value
        end = round(width * summed / scale)
        kept = max(0, min(end, stays) - drawn)
        parts.append(("━" * kept, factor_style(name)))
        parts.append(("┄" * (end - drawn - kept), factor_style("other")))
        drawn = end
    parts.append((" " * (width - drawn), ""))
    return Content.assemble(*(part for part in parts if part[0]))
