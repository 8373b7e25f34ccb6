"""The pane of the results: the search box in its border, the list, or a sentence in its place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import count
from memtui.tui.browse.completions import Completions
from memtui.tui.browse.results import ResultList
from memtui.tui.browse.search_box import SearchBar
from memtui.tui.frame.keys import key_in_use
from memtui.tui.widgets.panes import StatusLine, calm
from memtui.words.queries import understood
from store.model import SearchResult
from store.search.query import parse_query
from store.text.display import visible_line

if TYPE_CHECKING:  # what a first frame does without
    from store import Memory


class ResultsPane(Vertical):
    DEFAULT_CLASSES = "-lit"
    """Lit while the focus is in it, as it is at first. A sheet that asks where the focus is would
    have all that is in here styled once more before the first frame."""

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._found: SearchResult | None = None
        self._is_unmatched = False
        self.bar = SearchBar(id="search")
        self.rows = ResultList(id="results", now=now)

    def compose(self) -> ComposeResult:
        with Horizontal(id="search-line"):
            yield Static("╭ / ", id="search-left", markup=False)
            yield self.bar
            yield StatusLine(id="search-right")
        with Vertical(id="results-frame"):
            yield StatusLine(id="hint")
            yield self.rows
            yield Static(id="sentence", markup=False)
        yield Completions(id="completions")

    def on_mount(self) -> None:
        self.query_one("#search-right", StatusLine).show_message("╮")
        self.watch(self.bar, "offered", self._show_completions, init=False)
        self.watch(self.bar, "pick", self._show_completions, init=False)
        self.show_message("Opening memory …")

    def show_message(self, sentence: str, *more: str) -> None:
        shown = self.query_one("#sentence", Static)
        shown.update(calm(sentence, *more))
        shown.display = True

    def show(
        self,
        memory: Memory,
        found: SearchResult,
        stored: int,
        archived: int,
        *,
        keep: bool,
        unread: bool = False,
    ) -> None:
        """Show the first rows of an answer, out of `stored` observations. An empty one names
        those that are `archived`, or in files that were left `unread`.
        """
        self._found, self._is_unmatched = found, False
        self.rows.show(memory, found, keep=keep, typing=self.bar.has_focus)
        self.query_one("#search-right", StatusLine).show_message(self._count(found, stored))
        pairs = ", ".join(f"{typed} → {tried}" for typed, tried in found.near)
        hint = f"no exact match; showing near spellings: {pairs}" if pairs else ""
        self.query_one("#hint", StatusLine).show_message(hint)
        self._show_below()
        if found.hits:
            self.query_one("#sentence").display = False
        elif unread and not stored:
            doctor = key_in_use(self.app, "app.doctor") or "memtui doctor"
            hint = f"{doctor} says why, and what a repair would do."
            self.show_message("No memory here can be read.", hint)
        elif not (stored or archived):
            self._show_empty()
        elif not found.query.strip():
            self.show_message("Everything here is archived.", "Try  is:archived")
        else:
            self._is_unmatched = True
            self._show_unmatched()

    def _count(self, found: SearchResult, stored: int) -> str:
        """Say how many match, out of how many memories where only these are searched."""
        among = parse_query(found.query, self._now()).place == "memories"
        of = f" of {count(stored)}" if among and found.total != stored else ""
        return f" {count(found.total)}{of} ╮"

    def _show_empty(self) -> None:
        key, write = (key_in_use(self.app, binding) for binding in ("app.setup", "memory.new"))
        self.show_message(
            "No memories yet.",
            f"Capture agent sessions, install hooks:  {key}" if key else "",
            f"Write one:  {write or 'memtui add'}",
            "Try a sample project:  memtui demo",
        )

    def _show_unmatched(self) -> None:
        """Say that nothing matches, and what helps where the focus is."""
        if self._found is None or not self._is_unmatched:
            return
        key = key_in_use(self.app, "browse.clear")
        self.show_message(
            "Nothing matches.",
            f"Understood: {understood(self._found, self._now())}",
            f"Try fewer words; {key} clears the search." if key else "Try fewer words.",
        )

    def on_descendant_focus(self) -> None:
        self.light()
        if not self.bar.has_focus:
            self.rows.fit_columns()
        self._show_unmatched()

    def on_descendant_blur(self) -> None:
        self.on_descendant_focus()

    def light(self) -> None:
        self.set_class(self.has_focus_within, "-lit")

    def on_result_list_changed(self) -> None:
        self._show_below()

    def _show_below(self) -> None:
        """Show in the lower border the selection, what was understood, what is loaded."""
        if (found := self._found) is None:
            return
        rows, selected = self.rows, len(self.rows.selection)
        parts = [Content.styled(f"{count(selected)} selected", "bold")] if selected else []
        if new := rows.new_above:
            parts.append(Content.styled(f"{count(new)} new above", "bold $accent-text"))
        if found.query.strip() and (words := visible_line(understood(found, self._now()))):
            parts.append(Content(words))
        if rows.row_count < rows.total:
            parts.append(Content(f"{count(rows.row_count)} of {count(rows.total)}"))
        self.query_one("#results-frame").border_subtitle = Content(" · ").join(parts)

    def _show_completions(self) -> None:
        shown, bar = self.query_one(Completions), self.bar
        shown.pick = bar.pick
        shown.completion = offered = bar.choices()
        if offered is not None:
            left = bar.region.x - self.region.x + offered.start - bar.scroll_offset.x - 3
            widest = max(len(option) for option in offered.options) + 12
            shown.styles.offset = (max(1, min(left, self.size.width - widest - 1)), 1)

    def on_completions_clicked(self, event: Completions.Clicked) -> None:
        event.stop()
        self.bar.accept_option(event.index)
