"""The box for a query: colours its syntax, and offers completions and earlier searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.suggester import Suggester
from textual.widgets import Input

from memtui.formatting import joined
from memtui.tui.browse.query_text import Completion, completion, spans
from memtui.tui.browse.search_history import SearchHistory, read_searches, write_searches
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from store.model import Verdict
from store.search.query import FLAGS, SORTS, SpanKind
from store.text.display import visible_line

_STYLES: Mapping[SpanKind, str] = {
    SpanKind.FIELD: "$accent-text",
    SpanKind.VALUE: "bold $foreground",
    SpanKind.PHRASE: "$category-code-change",
    SpanKind.NOT: "bold $category-error",
    SpanKind.UNKNOWN: "underline $category-error",
}
"""Styles of a query's pieces. Those of component classes would be looked up at each focus."""


class SearchBar(Input):
    """Edits a query, while arrows move the rows below it.

    Its screen has an action `leave_search`: Escape runs it, and Enter with True, to open a row.
    The rest of its line, behind the text, is drawn as the border of the list below.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-bar--rule"}
    BINDINGS = bindings("search box")

    offered: reactive[Completion | None] = reactive(None)
    """The completion at the cursor; None where nothing is missing."""
    pick = reactive(0)
    """The option of it that Tab accepts, by its index."""

    @dataclass
    class Stepped(Message):
        """The cursor of the list below is to move by `rows`."""

        rows: int

    def __init__(self, *, id: str) -> None:
        super().__init__(
            id=id,
            placeholder="words  agent:  category:  issue:  after:7d",
            highlighter=_SyntaxColors(),
            suggester=_InlineSuggester(self),
            select_on_focus=False,
        )
        self._history = SearchHistory()
        self._history_file: Path | None = None
        self.known: dict[str, Sequence[str]] = {"is": FLAGS, "sort": SORTS, "drift": [*Verdict]}
        """The values of each field, to complete by."""

    def learn(self, known: Mapping[str, Sequence[str]]) -> None:
        self.known.update(known)

    @exclusive_worker(group="history")
    async def follow_history(self, file: Path | None) -> None:
        """Learn the searches that a file has, and keep there what is searched from now on."""
        self._history_file = file
        if file is not None:
            self._history.learn(await ask(read_searches, file))

    @exclusive_worker(group="history")
    async def _keep_history(self, file: Path) -> None:
        await ask(write_searches, file, list(self._history.searches))

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
        """Return what the list below offers: values of a field, but no names of fields."""
        return self.offered if self.offered is not None and self.offered.field else None

    def on_blur(self) -> None:
        self.offered = None
        if self._history.add(self.value) and self._history_file is not None:
            self._keep_history(self._history_file)

    def action_step(self, rows: int) -> None:
        if (choices := self.choices()) is not None:
            self.pick = (self.pick + rows) % len(choices.options)
        else:
            self.post_message(self.Stepped(rows))

    def recall(self, rows: int) -> bool:
        """Show the earlier search for negative `rows`, else the later; return if there is one."""
        found = (self._history.back if rows < 0 else self._history.forth)(self.value)
        if found is not None:
            self.set_query(found)
        return found is not None

    def action_complete(self) -> None:
        if not self._accept() and self.cursor_at_end and (whole := self.completed(self.value)):
            self.set_query(whole)

    def completed(self, value: str) -> str | None:
        """Return a query with its last piece completed; None unless that only adds letters."""
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
        """Put the picked option into the query; return if there is one."""
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


class _SyntaxColors(Highlighter):
    def highlight(self, text: Text) -> None:
        text.plain = visible_line(text.plain)
        for span in spans(text.plain):
            if style := _STYLES.get(span.kind):
                text.stylize(Style.parse(style).rich_style, span.start, span.end)


class _InlineSuggester(Suggester):
    """Shows the best completion faintly behind the cursor; Right accepts it."""

    def __init__(self, bar: SearchBar) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._bar = bar

    async def get_suggestion(self, value: str) -> str | None:
        return self._bar.completed(value)
