"""The search box: coloured syntax, and completions below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from memtui.formatting import fit, joined
from memtui.tui.browse.query_text import Completion, completion, spans
from memtui.tui.browse.search_history import SearchHistory
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import MARKS, color_of, mark_of
from store.search.query import FLAGS, SORTS, SpanKind
from store.text.display import visible_line


class Completions(Widget):
    """A few rows over the results; shown only while something is offered."""

    ALLOW_SELECT = False
    completion: reactive[Completion | None] = reactive(None, layout=True)
    pick = reactive(0)

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
            known = self.completion.field == "category" and option in MARKS
            mark = (f"{mark_of(option)} ", color_of(option)) if known else ""
            here = index == self.pick
            line = Content.assemble(
                ("▸ " if here else "  ", "$accent-text"),
                mark,
                (fit(visible_line(option), width), "bold" if here else ""),
                ("tab" if here else "   ", "$dim"),
            ).rstrip_end(0)
            lines.append(line.stylize_before("on $cursor") if here else line)
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = event.get_content_offset(self)
        if at is not None:
            self.post_message(self.Clicked(at.y))


class SearchBar(Input):
    """Letters type, arrows move the list below, and what is left of the line is a border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-bar--rule"}
    BINDINGS = bindings("search box")

    offered: reactive[Completion | None] = reactive(None)
    pick = reactive(0)

    @dataclass
    class Stepped(Message):
        rows: int

    @dataclass
    class Searched(Message):
        text: str

    def __init__(self, *, id: str) -> None:
        super().__init__(
            id=id,
            placeholder="words  agent:  category:  issue:  after:7d",
            highlighter=_SyntaxColors(),
            suggester=_Endings(self),
            select_on_focus=False,
        )
        self.history = SearchHistory()
        self.known: dict[str, Sequence[str]] = {"is": FLAGS, "sort": SORTS}

    def learn(self, known: Mapping[str, Sequence[str]]) -> None:
        self.known.update(known)

    def set_query(self, text: str) -> None:
        if text != self.value:
            self.value = text
            self.cursor_position = len(text)
        self.offered = None

    def on_paste(self, event: events.Paste) -> None:
        event.text = joined(event.text)

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value != self.value:
            event.stop()
            return
        self.pick = 0
        self.offered = (
            completion(self.value, self.cursor_position, self.known) if self.has_focus else None
        )

    def choices(self) -> Completion | None:
        """Return the completion worth a list of its own: values of a field, not names of fields."""
        return self.offered if self.offered is not None and self.offered.field else None

    def on_blur(self) -> None:
        self.offered = None
        if self.history.add(self.value):
            self.post_message(self.Searched(self.value))

    def action_step(self, rows: int) -> None:
        if (choices := self.choices()) is not None:
            self.pick = (self.pick + rows) % len(choices.options)
        else:
            self.post_message(self.Stepped(rows))

    def recall(self, rows: int) -> bool:
        """Show the search before, or after; whether there is one."""
        walk = self.history.back if rows < 0 else self.history.forth
        found = walk(self.value)
        if found is not None:
            self.set_query(found)
        return found is not None

    def action_complete(self) -> None:
        if not self._accept() and self.cursor_at_end and (whole := self.ending_of(self.value)):
            self.set_query(whole)

    def ending_of(self, value: str) -> str | None:
        """Return the query with its last piece completed, where that only adds letters."""
        best = completion(value, len(value), self.known, limit=1)
        if best is None or best.end != len(value):
            return None
        typed, option = value[best.start :], best.options[0]
        if not option.startswith(typed) or visible_line(option) != option:
            return None
        return value + option[len(typed) :]

    async def action_enter(self) -> None:
        if not (self.pick and self._accept()):
            await self.run_action("screen.leave_search(True)")

    async def action_leave(self) -> None:
        if self.choices() is not None:
            self.offered = None
        else:
            await self.run_action("screen.leave_search")

    def _accept(self) -> bool:
        """Put the picked value into the query; whether there was one."""
        choices = self.choices()
        if choices is None:
            return False
        self.value, self.cursor_position = choices.accept(self.value, choices.options[self.pick])
        self.offered = None
        return True

    def accept_option(self, index: int) -> None:
        self.pick = index
        self._accept()

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        width = self.scrollable_content_region.width
        used = self.content_width + max(0, len(self._suggestion) - len(self.value) - 1)
        if y or used >= width:
            return strip.crop(0, width)
        rule = self.get_component_rich_style("search-bar--rule")
        return Strip.join(
            [strip.crop(0, used), Strip([Segment(" " + "─" * (width - used - 1), rule)])]
        )


_INKS: Mapping[SpanKind, str] = {
    SpanKind.FIELD: "$accent-text",
    SpanKind.VALUE: "bold $foreground",
    SpanKind.PHRASE: "$category-code-change",
    SpanKind.NOT: "bold $category-error",
    SpanKind.UNKNOWN: "underline $category-error",
}
"""How the pieces of a query are drawn. Classes of a sheet would be looked up with each focus."""


class _SyntaxColors(Highlighter):
    def highlight(self, text: Text) -> None:
        text.plain = visible_line(text.plain)
        for span in spans(text.plain):
            if ink := _INKS.get(span.kind):
                text.stylize(Style.parse(ink).rich_style, span.start, span.end)


class _Endings(Suggester):
    """Shows the best completion as a faint ending; Right takes it."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        return self._bar.ending_of(value)
