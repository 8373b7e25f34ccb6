"""The list of completions below the search box."""

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
from store.text.display import visible_line


class Completions(Widget):
    """A few rows over the results, hidden while there is nothing to complete."""

    ALLOW_SELECT = False
    completion: reactive[Completion | None] = reactive(None, layout=True)
    pick = reactive(0)
    """The option that Tab accepts, by its index."""

    @dataclass
    class Clicked(Message):
        index: int

    def watch_completion(self, completion: Completion | None) -> None:
        self.display = completion is not None

    def render(self) -> RenderResult:
        if self.completion is None:
            return ""
        width = max(cell_len(option) for option in self.completion.options) + 1
        lines = []
        for index, option in enumerate(self.completion.options):
            has_mark = self.completion.field == "category" and option in MARKS
            mark = (f"{mark_of(option)} ", color_of(option)) if has_mark else ""
            is_picked = index == self.pick
            line = Content.assemble(
                ("▸ " if is_picked else "  ", "$accent-text"),
                mark,
                (fit(visible_line(option), width), "bold" if is_picked else ""),
                ("tab" if is_picked else "   ", "$dim"),
            ).rstrip_end(0)
            lines.append(line.stylize_before("on $cursor") if is_picked else line)
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = event.get_content_offset(self)
        if at is not None:
            self.post_message(self.Clicked(at.y))
