"""The search box: one line whose syntax is coloured and whose last piece completes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.suggester import Suggester
from textual.widgets import Input

from memtui.formatting import joined
from memtui.tui.browse.history import SearchHistory
from memtui.tui.browse.query_text import Completion, completion, spans
from memtui.tui.message import Message
from memtui.tui.widgets.row_list import CHOOSE, MOVE
from store.search import FLAGS, SORTS, SpanKind
from store.text import visible


class SearchBar(Input):
    """Letters type, arrows move the list below, and what is left of the line is a border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-bar--rule"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "down", show=False, group=MOVE, id="search.down"),
        Binding(
            "up",
            "step(-1)",
            "up",
            show=False,
            group=MOVE,
            id="search.up",
            tooltip="Up; from the first row, earlier searches",
        ),
        Binding("pagedown", "step(10)", "ten down", show=False, group=MOVE, id="search.pgdn"),
        Binding("pageup", "step(-10)", "ten up", show=False, group=MOVE, id="search.pgup"),
        Binding(
            "tab",
            "complete_or_leave",
            "complete",
            group=CHOOSE,
            id="search.complete",
            tooltip="Complete, or leave the search box",
        ),
        Binding("enter", "enter", "open", group=CHOOSE, id="search.open"),
        Binding("escape", "leave", "leave box", group=CHOOSE, id="search.leave"),
    ]

    offered: reactive[Completion | None] = reactive(None)
    """What the piece at the cursor could become."""
    pick = reactive(0)
    """Which of the offered options the arrows are at."""

    class Stepped(Message):
        """The arrows ask the results to move."""

        rows: int

    class Searched(Message):
        """The box was left with this search in it."""

        text: str

    class Offered(Message):
        """The completions, or the one picked, changed."""

        completion: Completion | None
        pick: int

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
        """Offer these values for these fields."""
        self.known.update(known)

    def set_query(self, text: str) -> None:
        """Show a query that was made by choosing."""
        if text != self.value:
            self.value = text
            self.cursor_position = len(text)
        self.offered = None

    def on_paste(self, event: events.Paste) -> None:
        """Several lines become one."""
        event.text = joined(event.text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what fits the piece at the cursor; of letters in a burst only the last counts."""
        if event.value != self.value:
            event.stop()
            return
        self.pick = 0
        self.offered = (
            completion(self.value, self.cursor_position, self.known) if self.has_focus else None
        )

    def watch_offered(self) -> None:
        """Tell what is offered."""
        self.post_message(self.Offered(self._choices(), self.pick))

    def watch_pick(self) -> None:
        """Tell which option the arrows are at."""
        self.post_message(self.Offered(self._choices(), self.pick))

    def _choices(self) -> Completion | None:
        """The completion worth a list of its own: values of a field, not names of fields."""
        return self.offered if self.offered is not None and self.offered.field else None

    def on_blur(self) -> None:
        """Nothing is offered to a box without the focus; what stands in it was searched for."""
        self.offered = None
        if self.history.add(self.value):
            self.post_message(self.Searched(self.value))

    def action_step(self, rows: int) -> None:
        """Move among the completions where they are listed, else in the results."""
        if (choices := self._choices()) is not None:
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

    async def action_complete_or_leave(self) -> None:
        """Take the picked value; where none is offered, leave for the results."""
        if not self._accept():
            await self.run_action("screen.leave_search")

    async def action_enter(self) -> None:
        """Take a value that was picked with the arrows, else open the observation."""
        if not (self.pick and self._accept()):
            await self.run_action("screen.leave_search(True)")

    async def action_leave(self) -> None:
        """Close the completions, else leave the box."""
        if self._choices() is not None:
            self.offered = None
        else:
            await self.run_action("screen.leave_search")

    def _accept(self) -> bool:
        """Put the picked value into the query; whether there was one."""
        choices = self._choices()
        if choices is None:
            return False
        self.value, self.cursor_position = choices.accept(self.value, choices.options[self.pick])
        self.offered = None
        return True

    def accept_option(self, index: int) -> None:
        """Take the option that was clicked."""
        self.pick = index
        self._accept()

    def render_line(self, y: int) -> Strip:
        """The text as Input draws it; the rest of the line continues the border."""
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
    """Colours the pieces of a query by what they are."""

    def highlight(self, text: Text) -> None:
        """Style the pieces in place; what could act on the terminal shows as symbols."""
        text.plain = visible(text.plain, newlines=False)
        for span in spans(text.plain):
            if ink := _INKS.get(span.kind):
                text.stylize(Style.parse(ink).rich_style, span.start, span.end)


class _Endings(Suggester):
    """Shows the best completion as a faint ending; Right takes it."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        """The query with its last piece completed, where that only adds letters."""
        best = completion(value, len(value), self._bar.known, limit=1)
        if best is None or best.end != len(value):
            return None
        typed = value[best.start :]
        option = best.options[0]
        if not option.startswith(typed) or visible(option, newlines=False) != option:
            return None
        return value + option[len(typed) :]
