"""The values that complete what is typed in the search box, listed below it."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from memtui.formatting import fit
from memtui.tui.browse.query_text import Completion
from memtui.tui.frame.theme import MARKS, color_of, mark_of
from store.text.display import visible


class Completions(Widget):
    """A few rows over the results; shown only while something is offered."""

    ALLOW_SELECT = False
    completion: reactive[Completion | None] = reactive(None, layout=True)
    pick = reactive(0)

    @dataclass
    class Clicked(Message):
        """An option was chosen with the mouse."""

        index: int

    def watch_completion(self, completion: Completion | None) -> None:
        self.display = completion is not None

    def render(self) -> RenderResult:
        if self.completion is None:
            return ""
        width = max(cell_len(option) for option in self.completion.options) + 1
        lines = []
        for index, option in enumerate(self.completion.options):
            known = self.completion.field == "category" and option in MARKS
            mark = (f"{mark_of(option)} ", color_of(option)) if known else ""
            here = index == self.pick
            line = Content.assemble(
                ("▸ " if here else "  ", "$accent-text"),
                mark,
                (fit(visible(option, newlines=False), width), "bold" if here else ""),
                ("tab" if here else "   ", "$dim"),
            ).rstrip_end(0)
            lines.append(line.stylize_before("on $cursor") if here else line)
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = event.get_content_offset(self)
        if at is not None:
            self.post_message(self.Clicked(at.y))
