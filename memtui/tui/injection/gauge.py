"""The gauge of an injection: a bar for each limit, the tokens by category, and who counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit, percent
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.widgets.titled import Titled
from memtui.tui.widgets.token_gauge import PACKAGING, Filling, bar, by_category
from store.recall.values import Recall, limits_of
from store.text.display import visible

_ROOMY = 64
"""Cells from which units are named."""
_UNLIMITED = 1 << 60


@dataclass(frozen=True, slots=True)
class Level:
    """How far one limit is used. `rules`: it is the one that stops the text; `full`: memories are
    left out for it.
    """

    used: int
    limit: int
    unit: str
    whose: str
    rules: bool = False
    full: bool = False

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else float(bool(self.used))


def levels(recall: Recall) -> list[Level]:
    """The budget, and the channel's limit where it has one."""
    alone = limits_of(recall.channel, _UNLIMITED)
    name = str(recall.channel)
    found = [Level(recall.tokens, recall.budget, "tokens", "budget")]
    if alone.tokens < _UNLIMITED:
        found.append(Level(recall.tokens, alone.tokens, "tokens", name))
    if alone.length is not None:
        found.append(Level(alone.measure(recall.text), alone.length, alone.unit, name))
    most = max(level.share for level in found)
    return [
        replace(
            it,
            rules=len(found) > 1 and it.share == most > 0,
            full=bool(recall.left_out) and it.share == most,
        )
        for it in found
    ]


class InjectionGauge(Titled, Widget):
    """A bar of categories for each limit; its figures warn where memories are left out for it."""

    recall: reactive[Recall | None] = reactive(None, layout=True)

    def show(self, recall: Recall, title: str) -> None:
        self.recall = recall
        self.set_title(f"Budget {title}", f"tokens: {recall.counter}" if recall.counter else "")

    def render(self) -> RenderResult:
        if self.recall is None:
            return ""
        width = self.content_size.width
        found = levels(self.recall)
        figures = _figures(found, width)
        room = max(8, width - max(line.cell_length for line in figures) - 2)
        tokens = by_category(self.recall)
        lines = []
        for level, told in zip(found, figures, strict=True):
            # Each bar shows the same categories, stretched to how far its own limit is used.
            scale = level.used / max(1, sum(tokens.values()))
            shares = {name: round(part * scale) for name, part in tokens.items()}
            lines.append(Content.assemble(bar(Filling(shares, level.limit), room), "  ", told))
        legend = _legend(self.recall, width)
        return Content("\n").join([*lines, legend] if legend.plain else lines)


def _figures(levels: Sequence[Level], width: int) -> list[Content]:
    used = max(len(count(level.used)) for level in levels)
    limit = max(len(count(level.limit)) for level in levels)
    unit = max(len(level.unit) for level in levels) if width >= _ROOMY else 0
    whose = max(len(level.whose) for level in levels)
    return [
        Content.assemble(
            (fit(count(level.used), used, align="right"), f"bold {_warning(level)}".strip()),
            (f" of {fit(count(level.limit), limit, align='right')}", "$dim"),
            (f" {fit(level.unit, unit)}" if unit else "", "$dim"),
            (fit(percent(level.used, level.limit), 6, align="right"), _warning(level) or "$dim"),
            "  ",
            (fit(level.whose, whose), "$accent-text" if level.rules else "$dim"),
        )
        for level in levels
    ]


def _warning(level: Level) -> str:
    return "$text-error" if level.share > 1 else "$text-warning" if level.full else ""


def _legend(recall: Recall, width: int) -> Content:
    """The categories with their tokens, largest first, as many as fit."""
    line = Content("")
    for part in _parts(recall):
        longer = Content.assemble(line, "   " if line.plain else "", part)
        if longer.cell_length > width:
            return line
        line = longer
    return line


def _parts(recall: Recall) -> Iterator[Content]:
    tokens = by_category(recall)
    for name in sorted(tokens, key=lambda it: (it == PACKAGING, -tokens[it], it)):
        number = recall.count_by_category.get(name, 0)
        yield Content.assemble(
            (f"{mark_of(name)} {visible(name, newlines=False)}", color_of(name)),
            (f" {count(tokens[name])}", ""),
            (f" in {number}" if number else "", "$dim"),
        )
