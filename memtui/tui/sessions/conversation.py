"""The lines of a conversation, with a cursor, folds and a range that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.content import Content
from textual.reactive import reactive

from memtui.tui.frame.keys import bindings
from memtui.tui.sessions.lines import Line, lines_of, passage_of
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.titled import Titled
from store.sessions.conversation import Entry, EntryKind, shown_output


class ConversationView(Titled, RowList):
    """A conversation to read."""

    BINDINGS = bindings("conversation")

    begun_at: reactive[int | None] = reactive(None)
    """Where the range began that ends at the cursor."""

    def __init__(self, now: datetime) -> None:
        super().__init__(id="conversation")
        self._now = now
        self._entries: Sequence[Entry] = ()
        self._unfolded: frozenset[int] = frozenset()
        self._lines: list[Line] = []
        self._width = 0
        self._goal: int | None = None
        self._sought = False

    def show(self, entries: Sequence[Entry], at: int | None) -> None:
        self._entries = entries
        self._goal = at
        self.begun_at = None
        self._lay_out()

    @property
    def entry(self) -> Entry | None:
        return self._entries[self._lines[self.cursor].entry] if self._lines else None

    @property
    def passage(self) -> str:
        """The words that are chosen: the range, else the whole entry under the cursor."""
        if self.begun_at is not None:
            return passage_of([self._lines[at] for at in self._range()])
        entry = self.entry
        return "" if entry is None else (shown_output(entry) or entry.text).strip()

    def row(self, index: int, width: int) -> Content:
        line = self._lines[index]
        chosen = self.begun_at is not None and index in self._range()
        bar = ("▌", "$accent-text") if chosen else (" ", "")
        return Content.assemble(
            bar, (f"{line.mark:<2}", line.color or "$dim"), Content.styled(line.text, line.style)
        )

    def on_resize(self) -> None:
        super().on_resize()
        if self.scrollable_content_region.width != self._width:
            self._lay_out()

    def _lay_out(self) -> None:
        """Make the lines, the cursor and the beginning of a range staying on their entries."""
        width = self.scrollable_content_region.width
        if not width or not self._entries:
            return
        place = self._place_of(self.cursor)
        begun = None if self.begun_at is None else self._place_of(self.begun_at)
        self._width = width
        self._lines = lines_of(self._entries, width - 1, self._unfolded, self._now)
        self.row_count = len(self._lines)
        self._sought = bool(self._goal)
        if self._goal is not None:
            place, begun, self._goal = (self._goal, 0), None, None
        self.cursor = self._line_of(*place)
        self.begun_at = None if begun is None else self._line_of(*begun)
        self.reload()
        self.call_after_refresh(self._show_goal if self._sought else self.scroll_to_cursor)

    def _show_goal(self) -> None:
        """Scroll so that what was said before the cursor's line is seen too."""
        above = self.scrollable_content_region.height // 3
        self.scroll_to(y=max(0, self.cursor - above), animate=False, force=True, immediate=True)

    def _place_of(self, line: int) -> tuple[int, int]:
        """The entry that a line belongs to, and how many lines below the entry's first it is."""
        if not self._lines:
            return 0, 0
        entry = self._lines[line].entry
        return entry, line - self._first_line(entry)

    def _line_of(self, entry: int, below: int) -> int:
        """The line so far below the first of an entry, its last where it has fewer."""
        last = sum(line.entry == entry for line in self._lines) - 1
        return self._first_line(entry) + min(below, max(0, last))

    def _first_line(self, entry: int) -> int:
        """The first line of an entry, that of its words where it has some."""
        lines = [(at, line) for at, line in enumerate(self._lines) if line.entry == entry]
        told = [at for at, line in lines if line.text]
        said = [at for at, line in lines if line.text and line.said]
        return next(iter([*said, *told]), 0)

    def _range(self) -> range:
        """The lines from the range's beginning to the cursor; what was wrapped is chosen whole:
        where it was cut, the screen's width tells, and no sentence ends.
        """
        first, last = sorted((self.begun_at or 0, self.cursor))
        while first and self._lines[first].goes_on:
            first -= 1
        while last + 1 < len(self._lines) and self._lines[last + 1].goes_on:
            last += 1
        return range(first, last + 1)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if self.begun_at is not None:
            self.refresh()

    def watch_begun_at(self) -> None:
        self.refresh()
        if self.is_mounted:
            self.screen.refresh_bindings()

    def action_range(self) -> None:
        self.begun_at = self.cursor if self.begun_at is None else None

    def action_request(self, way: int) -> None:
        if not self._lines:
            return
        here = self._lines[self.cursor].entry
        places = range(here + way, len(self._entries) if way > 0 else -1, way)
        asks = (at for at in places if self._entries[at].kind is EntryKind.REQUEST)
        place = next(asks, None)
        if place is not None:
            self.cursor = self._first_line(place)

    def toggle(self) -> None:
        if self._lines:
            self._unfolded ^= {self._lines[self.cursor].entry}
            self._lay_out()
