"""The gauge: what is injected against the limit that binds, a segment for each category."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit, percent, short
from memtui.tui.frame.theme import color_of
from memtui.tui.widgets.titled import Titled
from store.text.display import visible

if TYPE_CHECKING:
    from store.recall.values import Recall

PACKAGING = "packaging"
"""What headings and fences take, beside the categories."""


class Filling(NamedTuple):
    """What the gauge shows: how much each category takes of a limit, and whose it is.

    All figures are in `unit`; `used` is their sum as the limit counts it. `told` says what is in
    (`31 memories`, `4 messages`), `left_out` more would be if there were room. `whose` says who is
    told, `branch` on which, `lacks` what is missing for that.
    """

    tokens: Mapping[str, int]
    limit: int
    label: str = "Budget"
    unit: str = "tokens"
    used: int | None = None
    told: tuple[str, ...] = ()
    left_out: int = 0
    whose: str = ""
    branch: str = ""
    lacks: str = ""

    @property
    def total(self) -> int:
        return sum(self.tokens.values()) if self.used is None else self.used

    @property
    def reader(self) -> str:
        """Who is told, and on which branch: `Claude Code on feature/42`."""
        said = " on ".join(filter(None, (self.whose, self.branch)))
        return visible(said, newlines=False)

    @property
    def ink(self) -> str:
        """The colour of the figures: a warning where memories are left out, or past the limit."""
        past = self.total > self.limit
        return "$text-error" if past else "$text-warning" if self.left_out else ""


class TokenGauge(Titled, Widget):
    """A bar of categories, the total and the limit; amber where memories are left out."""

    filling: reactive[Filling | None] = reactive(None, layout=True)

    def on_mount(self) -> None:
        self.set_title("Budget")

    def watch_filling(self, filling: Filling | None) -> None:
        if filling is not None:
            self.set_title(filling.label)

    def render(self) -> RenderResult:
        if self.filling is None:
            return ""
        filling, width = self.filling, self.content_size.width
        level = filling.total / filling.limit if filling.limit else float(bool(filling.total))
        warning = filling.ink
        share = percent(filling.total, filling.limit)
        past = share if level < 10 else f"{short(int(level))}×"
        figures = _figures(filling, width - len(past) - 1, f"bold {warning}".strip())
        gap = max(1, width - figures.cell_length - len(past))
        lines = [
            bar(filling, width),
            Content.assemble(figures, " " * gap, (past, warning or "$dim")),
            *(Content.styled(fit(line, width), "$dim") for line in _told(filling, width)),
        ]
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 2 + len(_told(self.filling, width)) if self.filling is not None else 2


def _figures(filling: Filling, room: int, style: str) -> Content:
    """How much of the limit, as long as there is room for it."""
    used, limit = filling.total, filling.limit
    unit = filling.unit.replace("character", "char")
    for total, most in (
        (count(used), f" of {count(limit)} {unit}"),
        (short(used), f" of {short(limit)} {unit}"),
        (short(used), f" of {count(limit)}"),
        (short(used), f" of {short(limit)}"),
    ):
        if len(total) + len(most) <= room:
            break
    return Content.assemble((total, style), (most, "$dim"))


def _told(filling: Filling, width: int) -> list[str]:
    """`31 memories, 5 left out`, in a narrow pane `31 in, 5 left out`, what was said in sessions on
    a line of its own, and whose they are; nothing where there is nothing to say.
    """
    first, *others = filling.told or ("",)
    left = f"{count(filling.left_out)} left out" if filling.left_out else ""
    told = ", ".join(filter(None, (first, left)))
    if len(told) > width:
        told = f"{first.partition(' ')[0]} in, {left}"
    whole = ", ".join(filter(None, (first, *others, left)))
    lines = [whole] if len(whole) <= width else [told, ", ".join(others)]
    lines += [filling.reader, filling.lacks]
    return [line for line in lines if line]


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
