"""Results of a query: the rows, loaded in pages, below the search box."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from memtui.formatting import age, count, fit
from memtui.tui.browse.search_box import Completions, SearchBar
from memtui.tui.frame.keys import bindings, key_in_use
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.widgets.panes import StatusLine
from memtui.tui.widgets.row_list import RowList
from memtui.words.queries import understood
from store.model import Hit, IndexEntry, SearchResult
from store.search.query import parse_query
from store.text.display import visible

_NAME, _SUMMARY, _GAPS = 12, 48, 12
"""Cells that a name is given at least and a summary before names get more, and those between."""


class Columns(NamedTuple):
    """The widths in cells of a row's columns; 0 leaves a column out."""

    issue: int
    category: int
    agent: int
    flag: int
    age: int

    @classmethod
    def of(cls, hits: Sequence[Hit], now: datetime) -> Columns:
        def widest(text: Callable[[IndexEntry], str], limit: int) -> int:
            return min(limit, max((cell_len(text(hit.entry)) for hit in hits), default=0))

        return cls(
            issue=widest(lambda entry: f"#{entry.issue_number}", 10),
            category=widest(lambda entry: entry.category, 18),
            agent=widest(lambda entry: entry.agent, 20),
            flag=2 if any(flag_of(hit.entry).strip() for hit in hits) else 0,
            age=widest(lambda entry: age(entry.timestamp, now), 4),
        )

    def at_least(self, other: Columns) -> Columns:
        """No column narrower than in `other`, so that columns stay put while one types."""
        return Columns(*map(max, self, other))

    def within(self, width: int) -> Columns:
        shown = self._replace(
            issue=self.issue if width >= 48 else 0,
            category=min(self.category, _NAME),
            agent=min(self.agent, _NAME) if width >= 64 else 0,
            flag=self.flag if width >= 48 else 0,
            age=self.age if width >= 40 else 0,
        )
        spare = width - sum(shown) - _GAPS - _SUMMARY
        category = min(self.category, shown.category + max(0, spare))
        spare -= category - shown.category
        agent = min(self.agent, shown.agent + max(0, spare)) if shown.agent else 0
        return shown._replace(category=category, agent=agent)


def draw_row(hit: Hit, columns: Columns, mark: str, now: datetime, width: int) -> Content:
    """The line of a hit behind a mark, as wide as the list; its summary takes what is left."""
    entry = hit.entry
    color = color_of(entry.category)
    parts: list[Content | str | tuple[str, str]] = [(mark, "$accent-text")]
    if columns.issue:
        parts += [(fit(f"#{entry.issue_number}", columns.issue, align="right"), "$dim"), " "]
    category = fit(visible(entry.category, newlines=False), columns.category)
    parts += [(f"{mark_of(entry.category)} {category}", color), " "]
    if columns.agent:
        parts += [fit(visible(entry.agent, newlines=False), columns.agent), " "]
    if columns.age:
        ago = age(entry.timestamp, now)
        parts += [(fit(ago, columns.age, align="right"), "$dim"), "  "]
    if columns.flag:
        parts.append((fit(flag_of(entry), columns.flag), "$accent-text"))
    lead = Content.assemble(*parts)
    room = max(0, width - lead.cell_length - 1)
    return Content.assemble(lead, passage(hit, room).truncate(room, ellipsis=True, pad=True))


def passage(hit: Hit, room: int) -> Content:
    """Return the summary with its matches marked, or where it has none the passage that has.

    Where the first match would stand beyond `room` characters, the text begins shortly before it.
    """
    text, marks = hit.entry.summary, hit.summary_marks
    if hit.marks and not marks:
        text, marks = hit.snippet, hit.marks
    content = marked(text, marks)
    if not marks or marks[0][1] < room:
        return content
    skipped = text.rfind(" ", 0, max(0, marks[0][0] - room // 3)) + 1
    return Content.assemble(("… ", "$dim"), content[skipped:]) if skipped else content


def marked(text: str, marks: Sequence[tuple[int, int]]) -> Content:
    """One line of `text` with the character ranges `marks` standing out."""
    content = Content(visible(text, newlines=False))
    for start, end in marks:
        content = content.stylize("bold $accent-text", start, end)
    return content


def flag_of(entry: IndexEntry) -> str:
    """Return the mark of what is special about an observation; its words are in the pane below."""
    if entry.archived:
        return "▾"
    if entry.muted:  # which a pin doesn't outdo
        return "∅"
    if entry.pinned:
        return "▲"
    return "✓" if entry.category == "task" and "done" in entry.tags else " "


FIRST, PAGE = 50, 100
"""Rows that are loaded for each key typed, more than any screen has, and at a time from there."""
_AHEAD = 20
"""Rows before the end at which the next page is asked for."""


class ResultList(RowList[Hit]):
    """The rows of a query, the first page at once and more as the cursor nears the end."""

    BINDINGS = bindings("results")
    keeps_cursor = True

    @dataclass
    class Wanted(Message):
        offset: int

    @dataclass
    class RestWanted(Message):
        """All rows are wanted, also those that are not loaded yet; `then` is called with them."""

        then: Callable[[], None]

    class Changed(Message):
        """The selection changed, or the number of rows that are new above."""

    new_above = reactive(0, init=False)

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self._now = now
        self._selected: frozenset[str] = frozenset()
        self.total = 0
        self._columns = self._widest = Columns.of((), now())
        self._asked_from = 0
        self._expected = ""
        self._range: tuple[str, frozenset[str]] | None = None
        """The id at which a range began, and what was selected before."""

    def expect(self, identifier: str) -> None:
        """Go to an observation, which is new, if it is among the rows that come next."""
        self._expected = identifier

    def step(self, rows: int) -> Hit | None:
        """Go so many rows on and give the row there; None where there is none."""
        if not 0 <= self.cursor + rows < self.row_count:
            return None
        self.cursor += rows
        return self.at

    @property
    def _ids(self) -> list[str]:
        return [hit.entry.id for hit in self.rows]

    @property
    def selection(self) -> tuple[Hit, ...]:
        return tuple(hit for hit in self.rows if hit.entry.id in self._selected)

    def select(self, ids: Iterable[str]) -> None:
        self._range = None
        self._select(ids)

    def _select(self, ids: Iterable[str]) -> None:
        chosen = frozenset(ids).intersection(self._ids)
        if chosen != self._selected:
            self._selected = chosen
            self.refresh()
            self.post_message(self.Changed())

    def action_mark(self) -> None:
        if self.at is not None:
            self.select(self._selected ^ {self.at.entry.id})
            self.cursor += 1

    def action_mark_range(self) -> None:
        if self._range is not None:
            self._range = None
        elif self.at is not None:
            self._range = self.at.entry.id, self._selected
            self._stretch()

    def _stretch(self) -> None:
        if self._range is None:
            return
        (begin, before), ids = self._range, self._ids
        if begin in ids:
            first, last = sorted((ids.index(begin), self.cursor))
            self._select(before | frozenset(ids[first : last + 1]))
        else:
            self._range = None

    def action_mark_all(self) -> None:
        if self.rows and len(self._selected) == self.total:
            self.select(())
        else:
            self._with_all(lambda: self.select(self._ids))

    def action_last(self) -> None:
        self._with_all(super().action_last)

    def _with_all(self, then: Callable[[], None]) -> None:
        if self.loaded < self.total:
            self.post_message(self.RestWanted(then))
        else:
            then()

    @property
    def loaded(self) -> int:
        return len(self.rows)

    @property
    def kept(self) -> int:
        """How many rows to ask for where the cursor is to stay on its own: those that are loaded,
        and so many more that new ones before it don't push it out."""
        return max(self.loaded, self.cursor + 1 + _AHEAD) if self.rows else 0

    def show(self, hits: Sequence[Hit], total: int, *, keep: bool, typing: bool = False) -> None:
        """Show the first rows of an answer.

        With `keep` the cursor stays on its observation, at the same line of the screen unless new
        rows are seen above it, and the selection on those that are still there; without, it begins
        anew at the top. While one is `typing` no column gets narrower, so that they stay put.
        """
        selected = self.at.entry.id if keep and self.at else None
        line = self.cursor - self.scroll_offset.y
        above = set(self._ids[: self.cursor + 1])
        expected, self._expected = self._expected, ""
        ids = [hit.entry.id for hit in hits]
        if expected in ids:
            selected = expected
        self.total, self._asked_from = total, 0
        self.list_rows(hits)
        self._measure(anew=not (keep or typing))
        self._select(self._selected) if keep else self.select(())
        if selected not in ids:
            self.cursor = self.validate_cursor(self.cursor) if keep else 0
            return
        was_first, self.cursor = self.cursor == 0, ids.index(selected)
        if was_first and selected != expected:  # what is new above it is seen
            return
        if selected != expected:
            self.new_above += len(set(ids[: self.cursor]) - above)
        self.scroll_to(y=self.cursor - line, animate=False, force=True, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not new_value:
            self.new_above = 0

    def watch_new_above(self) -> None:
        self.post_message(self.Changed())

    def extend(self, hits: Sequence[Hit], total: int) -> None:
        seen = set(self._ids)
        self.total = total
        self.list_rows([*self.rows, *(hit for hit in hits if hit.entry.id not in seen)])
        self._measure()

    def fit_columns(self) -> None:
        """Make the columns as wide as the rows need, where others before needed more."""
        self._measure(anew=True)
        self.refresh()

    def _measure(self, *, anew: bool = False) -> None:
        needed = Columns.of(self.rows, self._now())
        self._widest = needed if anew else needed.at_least(self._widest)
        self._columns = self._widest.within(self.scrollable_content_region.width)

    def on_resize(self) -> None:
        before = self._columns
        self._measure()
        if self._columns != before:
            self.refresh()

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self._stretch()
        loaded = self.loaded
        if new >= loaded - _AHEAD and loaded < self.total and self._asked_from != loaded:
            self._asked_from = loaded
            self.post_message(self.Wanted(loaded))

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self, self.cursor))

    def row(self, index: int, width: int) -> Content:
        hit = self.rows[index]
        selected = hit.entry.id in self._selected
        mark = "✓ " if selected else "▸ " if index == self.cursor else "  "
        return draw_row(hit, self._columns, mark, self._now(), width)


class ResultsPane(Vertical):
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
        self.watch(self.bar, "offered", self._show_completions, init=False)
        self.watch(self.bar, "pick", self._show_completions, init=False)
        self.say("Opening memory …")

    @property
    def bar(self) -> SearchBar:
        return self.query_one(SearchBar)

    @property
    def rows(self) -> ResultList:
        return self.query_one(ResultList)

    def say(self, sentence: str, *more: str) -> None:
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
            self._show_empty()
        elif not result.query.strip():
            self.say("Everything here is archived.", "Try  is:archived")
        else:
            self._show_unmatched(result)

    def _show_empty(self) -> None:
        key, write = (key_in_use(self.app, binding) for binding in ("app.setup", "memory.new"))
        self.say(
            "No memories yet.",
            f"Capture agent sessions, install hooks:  {key}" if key else "",
            f"Write one:  {write or 'memtui add'}",
            "Try a sample project:  memtui demo",
        )

    def _show_unmatched(self, result: SearchResult) -> None:
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
            self._show_unmatched(self._unmatched)

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

    def on_result_list_changed(self) -> None:
        self._show_below()

    def _show_below(self) -> None:
        """Show in the lower border the selection, what was understood, what is loaded."""
        selected = len(self.rows.selection)
        parts = [Content.styled(f"{count(selected)} selected", "bold")] if selected else []
        if new := self.rows.new_above:
            parts.append(Content.styled(f"{count(new)} new above", "bold $accent-text"))
        parts += map(Content, self._below)
        self.query_one("#results-frame").border_subtitle = Content(" · ").join(parts)

    def _hint(self, result: SearchResult) -> None:
        """Say that near spellings were tried. What the index has to say stands above the panes."""
        said = ""
        if result.near:
            pairs = ", ".join(f"{typed} → {found}" for typed, found in result.near)
            said = f"no exact match; showing near spellings: {pairs}"
        self.query_one("#hint", StatusLine).say(said)

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
