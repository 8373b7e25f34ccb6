"""What the gauge says, in one line: for windows that have no room for it beside the results."""

from __future__ import annotations

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from memtui.formatting import count, fit
from memtui.tui.browse.recall_gauge import RecallGauge
from memtui.tui.widgets.token_gauge import Filling
from store.text.display import visible


class NextLine(Widget):
    """`Next session of Claude Code on feature/42: 31 memories, 4,989 of 5,000 tokens`."""

    def __init__(self, gauge: RecallGauge, *, id: str) -> None:
        super().__init__(id=id)
        self._gauge = gauge

    def on_mount(self) -> None:
        self.watch(self._gauge, "filling", self._draw)

    def _draw(self) -> None:
        self.refresh()

    async def on_click(self) -> None:
        await self.run_action("screen.inject")

    def render(self) -> RenderResult:
        filling = self._gauge.filling
        return "" if filling is None else line_of(filling, self.content_size.width)


def line_of(filling: Filling, width: int) -> Content:
    """An answer in one line. Where room is short whole parts go: first how many are left out, whose
    colour stays, then the branch, how hooks are added, and who is told.
    """
    left = (f"{count(filling.left_out)} left out",) if filling.left_out else ()
    unit = filling.unit.replace("character", "char")
    amount = f"{count(filling.total)} of {count(filling.limit)} {unit}"
    whole, brief = (", ".join((*filling.told, *more, amount)) for more in (left, ()))
    lacks = filling.lacks
    missing = lacks.partition(",")[0]
    reader, whose = filling.reader, visible(filling.whose, newlines=False) or filling.label
    named = " of ".join(filter(None, (filling.label, reader)))
    tries = [(who, told, lacks) for told in (whole, brief) for who in (named, reader) if who]
    tries += [(who, brief, said) for who in (whose, "") for said in (lacks, missing)]
    tries += [(whose, amount, missing), ("", amount, missing), ("", amount, "")]
    fitting = (it for it in tries if cell_len(_plain(*it)) <= width)
    who, told, lacks = next(fitting, ("", fit(amount, width), ""))
    return Content.assemble(
        (f"{who}: " if who else "", "bold"),
        (told, filling.ink),
        f" · {lacks}" if lacks else "",
    )


def _plain(who: str, told: str, lacks: str) -> str:
    return f"{f'{who}: ' if who else ''}{told}{f' · {lacks}' if lacks else ''}"
