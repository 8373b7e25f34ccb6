"""What a compaction saves: memories and characters before and after, as numbers and bars."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import count, fit
from store.compaction.model import CompactionPlan

_NARROW = 60
"""Cells below which the bars give way to the figures."""
_LONGEST = 90
"""Cells of a bar that one still takes in at a glance."""


class Savings(Widget):
    """A line for memories and one for characters; the full bar is what there is now."""

    plan: reactive[CompactionPlan | None] = reactive(None)

    def render(self) -> RenderResult:
        if self.plan is None:
            return ""
        rows = (("memories", self.plan.observations), ("characters", self.plan.characters))
        before = max(len(count(figures[0])) for _, figures in rows)
        after = max(len(count(figures[1])) for _, figures in rows)
        width = self.content_size.width
        return Content("\n").join(
            [_line(name, figures, before, after, width) for name, figures in rows]
        )


def _line(name: str, figures: tuple[int, int], before: int, after: int, width: int) -> Content:
    was, will = figures
    share = (was - will) / was if was else 0.0
    saved = "0%" if not share else f"{-share:.0%}" if abs(share) >= 0.01 else f"{-share:.1%}"
    saved = saved.replace("-", "−")
    lead = Content.assemble(
        (fit(name, 14), "$dim"),
        fit(count(was), before, align="right"),
        (" → ", "$dim"),
        (fit(count(will), after, align="right"), "bold"),
        "  ",
    )
    tail = Content.styled(fit(saved, 6, align="right"), "$accent-text" if was > will else "$dim")
    room = min(_LONGEST, width - lead.cell_length - tail.cell_length)
    if width < _NARROW or room < 4:
        return Content.assemble(lead, tail)
    cells = round(room * will / was) if was else room
    return Content.assemble(
        lead, ("━" * cells, "$accent-text"), ("━" * (room - cells), "$gauge-track"), tail
    )
