"""The pane of results: search box in its top border, a hint, the rows or a calm sentence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.formatting import count
from memtui.tui.browse.completions import Completions
from memtui.tui.browse.results import ResultList
from memtui.tui.browse.search_bar import SearchBar
from memtui.tui.frame.keys import key_in_use
from memtui.tui.widgets.status_line import StatusLine
from memtui.words.queries import understood
from store.model import SearchResult
from store.search.query import parse_query
from store.text.display import visible


class ResultsPane(Vertical):
    """What the query finds, under the query itself."""

    DEFAULT_CLASSES = "-lit"
    """Lit while the focus is in it, as it is at first. A sheet that asks where the focus is would
    have all that is in here styled once more before the first frame."""

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._below: list[str] = []
        self._unmatched: SearchResult | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="search-line"):
            yield Static("╭ / ", id="search-left", markup=False)
            yield SearchBar(id="search")
            yield StatusLine(id="search-right")
        with Vertical(id="results-frame"):
            yield StatusLine(id="hint")
            yield ResultList(id="results", now=self._now)
            yield Static(id="sentence", markup=False)
        yield Completions(id="completions")

    def on_mount(self) -> None:
        self.query_one("#search-right", StatusLine).say("╮")
        self.say("Opening memory …")

    @property
    def bar(self) -> SearchBar:
        return self.query_one(SearchBar)

    @property
    def rows(self) -> ResultList:
        return self.query_one(ResultList)

    def say(self, sentence: str, *more: str) -> None:
        """Show a sentence, and below it what to do next, instead of rows."""
        lines = [Content.styled(visible(sentence), "bold")]
        lines += [Content.styled(visible(line), "$dim") for line in more]
        self.query_one("#sentence", Static).update(Content("\n").join(lines))
        self._show_rows(False)

    def _show_rows(self, shown: bool) -> None:
        self.query_one("#sentence").display = not shown

    def show(
        self, result: SearchResult, stored: int, archived: int, *, keep: bool, unread: bool = False
    ) -> None:
        """Show the first rows of an answer out of `stored` observations; of an empty one, whether
        any are `archived`, or in files that were left `unread`, is told.
        """
        self._unmatched = None
        self.rows.show(result.hits, result.total, keep=keep, typing=self.bar.has_focus)
        self.show_count(result, stored)
        self._hint(result)
        if result.hits:
            self._show_rows(True)
        elif unread and not stored:
            doctor = key_in_use(self.app, "app.doctor") or "memtui doctor"
            said = f"{doctor} says why, and what a repair would do."
            self.say("No memory here can be read.", said)
        elif not (stored or archived):
            self._say_empty()
        elif not result.query.strip():
            self.say("Everything here is archived.", "Try  is:archived")
        else:
            self._say_unmatched(result)

    def _say_empty(self) -> None:
        key, write = (key_in_use(self.app, it) for it in ("app.setup", "memory.new"))
        self.say(
            "No memories yet.",
            f"Capture agent sessions, install hooks:  {key}" if key else "",
            f"Write one:  {write or 'memtui add'}",
            "Try a sample project:  memtui demo",
        )

    def _say_unmatched(self, result: SearchResult) -> None:
        """Say that nothing matches, and what helps where the focus is."""
        self._unmatched = result
        key = key_in_use(self.app, "browse.clear")
        self.say(
            "Nothing matches.",
            f"Understood: {understood(result, self._now())}",
            f"Try fewer words; {key} clears the search." if key else "Try fewer words.",
        )

    def on_descendant_focus(self) -> None:
        self.light()
        if not self.bar.has_focus:
            self.rows.fit_columns()
        if self._unmatched is not None:
            self._say_unmatched(self._unmatched)

    def on_descendant_blur(self) -> None:
        self.on_descendant_focus()

    def light(self) -> None:
        self.set_class(self.has_focus_within, "-lit")

    def extend(self, result: SearchResult, stored: int) -> None:
        self.rows.extend(result.hits, result.total)
        self.show_count(result, stored)

    def show_count(self, result: SearchResult, stored: int) -> None:
        """How many match, out of how many memories where only these are searched; below, how many
        of them are loaded.
        """
        among = parse_query(result.query, self._now()).place == "memories"
        right = f" {count(result.total)} ╮"
        if among and result.total != stored:
            right = f" {count(result.total)} of {count(stored)} ╮"
        self.query_one("#search-right", StatusLine).say(right)
        words = understood(result, self._now()) if result.query.strip() else ""
        said = visible(words, newlines=False)
        loaded = self.rows.loaded
        paged = f"{count(loaded)} of {count(result.total)}" if loaded < result.total else ""
        self._below = [part for part in (said, paged) if part]
        self._show_below()

    def on_result_list_selected(self) -> None:
        self._show_below()

    def _show_below(self) -> None:
        """What stands in the lower border: the selection, what was understood, what is loaded."""
        selected = len(self.rows.selection)
        parts = [Content.styled(f"{count(selected)} selected", "bold")] if selected else []
        parts += map(Content, self._below)
        self.query_one("#results-frame").border_subtitle = Content(" · ").join(parts)

    def _hint(self, result: SearchResult) -> None:
        """Say that near spellings were tried. What the index has to say stands above the panes."""
        said = ""
        if result.near:
            pairs = ", ".join(f"{typed} → {found}" for typed, found in result.near)
            said = f"no exact match; showing near spellings: {pairs}"
        self.query_one("#hint", StatusLine).say(said)

    def on_search_bar_offered(self, event: SearchBar.Offered) -> None:
        event.stop()
        completions = self.query_one(Completions)
        completions.pick = event.pick
        completions.completion = event.completion
        if event.completion is not None:
            bar = self.bar
            left = bar.region.x - self.region.x + event.completion.start - bar.scroll_offset.x - 3
            widest = max(len(option) for option in event.completion.options) + 12
            completions.styles.offset = (max(1, min(left, self.size.width - widest - 1)), 1)

    def on_completions_clicked(self, event: Completions.Clicked) -> None:
        event.stop()
        self.bar.accept_option(event.index)
