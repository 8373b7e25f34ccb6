"""The gauge: tokens against the budget, a segment for each category."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, percent, short
from memtui.tui.theme import color_of
from memtui.tui.widgets.titled import Titled

if TYPE_CHECKING:
    from store.recall.values import Recall

_NEAR = 0.85
"""The share of the budget from which the gauge warns."""
PACKAGING = "packaging"
"""What headings and fences take, beside the categories."""


class Filling(NamedTuple):
    """What the gauge shows: tokens by category against a limit, and whose they are."""

    tokens: Mapping[str, int]
    limit: int
    label: str = ""

    @property
    def total(self) -> int:
        """All tokens together."""
        return sum(self.tokens.values())


class TokenGauge(Titled, Widget):
    """A bar of categories, the total and the limit; its colour warns near and past the limit."""

    filling: reactive[Filling | None] = reactive(None)

    def on_mount(self) -> None:
        """Name the pane."""
        self.set_title("Budget")

    def watch_filling(self, filling: Filling | None) -> None:
        """Name whose budget it is."""
        if filling is not None:
            self.set_title(f"Budget {filling.label}".rstrip())

    def render(self) -> RenderResult:
        """The bar, and below it the figures."""
        if self.filling is None:
            return ""
        filling, width = self.filling, self.content_size.width
        level = filling.total / filling.limit if filling.limit else float(bool(filling.total))
        warning = "$text-error" if level > 1 else "$text-warning" if level >= _NEAR else ""
        share = percent(filling.total, filling.limit)
        past = share if level < 10 else f"{short(int(level))}×"
        total = count(filling.total) if width >= 24 else short(filling.total)
        figures = Content.assemble(
            (total, f"bold {warning}".strip()),
            (f" of {count(filling.limit)}", "$dim"),
        )
        gap = max(1, width - figures.cell_length - len(past))
        return Content.assemble(
            bar(filling, width), "\n", figures, " " * gap, (past, warning or "$dim")
        )


def by_category(recall: Recall) -> dict[str, int]:
    """The tokens of the memories by category; what headings and fences take is `packaging`."""
    rest = recall.tokens - sum(recall.tokens_by_category.values())
    return {**recall.tokens_by_category, **({PACKAGING: rest} if rest > 0 else {})}


def bar(filling: Filling, width: int) -> Content:
    """A bar of `width` cells: a segment for each category, largest first, then the empty rest.

    Past the limit the bar stands for the total, and a thin mark shows where the limit lies.
    """
    total, limit = filling.total, filling.limit
    scale = max(total, limit, 1)
    ordered = sorted(filling.tokens.items(), key=lambda item: (-item[1], item[0]))
    parts: list[tuple[str, str]] = []
    drawn = summed = 0
    for category, tokens in ordered:
        summed += tokens
        end = round(width * summed / scale)
        parts.append(("█" * (end - drawn), color_of(category)))
        drawn = end
    if total and not drawn:
        parts.append(("▏", color_of(ordered[0][0])))
        drawn = 1
    parts.append(("█" * (width - drawn), "$gauge-track"))
    filled = Content.assemble(*(part for part in parts if part[0]))
    if total <= limit or width < 2:
        return filled
    mark = min(width - 1, max(0, round(width * limit / scale)))
    return Content.assemble(filled[:mark], ("▏", "$background on $text-error"), filled[mark + 1 :])
