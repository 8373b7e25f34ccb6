"""The layout of the report screens: a list, and the details of the row under its cursor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen

from memtui.formatting import percent
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.paragraphs import Paragraph
from memtui.tui.frame.route import Context
from memtui.tui.frame.type_ahead import NOT_HELD, keys_held
from memtui.tui.operations import OperationEnded
from memtui.tui.widgets.filter_box import FilterBox
from memtui.tui.widgets.key_bar import KeyBar
from memtui.tui.widgets.panes import EmptyState, StatusLine, Titled
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.text_pane import TextPane
from memtui.tui.widgets.title_bar import TitleBar
from store.errors import StoreError

_WHOLE = 1_000
"""Cells in which nothing of a row is cut off."""
Details = Callable[[], Sequence[Paragraph]]
"""Reads the details of a row, in a thread."""
T = TypeVar("T")


class OverviewList(Titled, RowList[T | str], Generic[T]):
    """Rows with a key each; what is text among them is a heading, which the cursor passes over."""

    keeps_cursor = True

    def __init__(self, *, id: str = "rows") -> None:
        super().__init__(id=id)
        self._everything: Sequence[T | str] = ()
        self._texts: dict[int, str] = {}
        self._words: Sequence[str] = ()

    def row_key(self, row: T) -> str:
        """Tells a row from all others."""
        return repr(row)

    @abstractmethod
    def draw(self, row: T, index: int, width: int) -> Content:
        """Return the content of a row that is no heading, for `width` cells."""

    def text_of(self, row: T, heading: str) -> str:
        """Return the text by which a row below a heading is found: what is drawn of it."""
        return self.draw(row, -1, _WHOLE).plain

    def heading(self, text: str) -> Content:
        return Content.styled(f"  {text}", "bold")

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        return self.heading(row) if isinstance(row, str) else self.draw(row, index, width)

    @property
    def cursor_key(self) -> str:
        return "" if self.at is None else self.row_key(self.at)

    @property
    def at(self) -> T | None:
        row = super().at
        return None if isinstance(row, str) else row

    def list_rows(self, rows: Sequence[T | str], *, keep: bool = True) -> None:
        """Show other rows, as far as they match; with `keep` the cursor stays on what it is on,
        where that is there.
        """
        self._everything, self._texts = rows, {}
        self._list_found(self.cursor_key if keep else "", self.cursor)

    def narrow(self, words: str) -> None:
        """Show only rows that have all these words, and the headings above any."""
        if (wanted := words.casefold().split()) != self._words:
            self._words = wanted
            self._list_found(self.cursor_key, 0)

    @property
    def is_narrowed(self) -> bool:
        return bool(self._words)

    @property
    def found(self) -> int:
        """How many rows are listed, without the headings."""
        return sum(not isinstance(row, str) for row in self.rows)

    def _list_found(self, key: str, cursor: int) -> None:
        """Show the rows that match, the cursor on the one of this key, else in this place."""
        rows = list(self._matching()) if self._words else self._everything
        super().list_rows(rows)
        same = (
            place
            for place, row in enumerate(rows)
            if key and not isinstance(row, str) and self.row_key(row) == key
        )
        self.cursor = next(same, self.validate_cursor(cursor))

    def _matching(self) -> Iterator[T | str]:
        heading, is_above = "", False
        for place, row in enumerate(self._everything):
            if isinstance(row, str):
                heading, is_above = row, False
                continue
            if place not in self._texts:
                self._texts[place] = self.text_of(row, heading).casefold()
            if all(word in self._texts[place] for word in self._words):
                if heading and not is_above:
                    yield heading
                is_above = True
                yield row

    def validate_cursor(self, cursor: int) -> int:
        at = super().validate_cursor(cursor)
        onward, back = range(at, len(self.rows)), range(min(at, len(self.rows) - 1), -1, -1)
        places = chain(back, onward) if at < self.cursor else chain(onward, back)
        return next((place for place in places if not isinstance(self.rows[place], str)), at)

    def scroll_to_cursor(self) -> None:
        above = self.rows[self.cursor - 1 : self.cursor] if self.cursor else ()
        has_heading = any(isinstance(row, str) for row in above)
        if has_heading and self.scrollable_content_region.height > 1:
            self.reveal(self.cursor - 1, 2)
        else:
            super().scroll_to_cursor()


class DetailsPane(TextPane):
    widest = 110


class OverviewScreen(Screen[None]):
    """A titled list and the details of its row; subclasses read both."""

    HORIZONTAL_BREAKPOINTS = [(150, "-wide")]  # noqa: RUF012 - as Screen has it
    BINDINGS = bindings("overview")
    CSS_PATH = str(Path(__file__).with_name("overview.tcss"))  # its subclasses live elsewhere
    AUTO_FOCUS = ""

    sentence = reactive[tuple[str, ...]](("Loading …",))
    """Sentences shown in place of the list, the last of them the next step; empty for the list."""
    zoomed = reactive(False)
    """True if the details have the screen to themselves."""

    def __init__(self, context: Context, rows: OverviewList[Any], heading: str) -> None:
        super().__init__()
        self.memory = context.memory
        self.now = context.now
        self._place = context.place
        self._rows = rows
        self._heading = heading
        self._count = ""
        self._shown = ""

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield StatusLine(id="notice")
        yield FilterBox()
        with Container(id="overview"):
            yield self._rows
            yield EmptyState(id="empty")
            yield DetailsPane(id="details")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.query_one(TitleBar).place = self._place
        self.query_one(DetailsPane).set_title("Details")
        self.query_one(EmptyState).set_title(self._heading)
        self._arrange()
        self.action_reload()

    @abstractmethod
    async def read(self) -> None:
        """Ask for what the list shows, and show it."""

    @abstractmethod
    def details(self) -> Details:
        """Reader of the details of the row under the cursor."""

    def action_reload(self) -> None:
        self._read_again()

    @exclusive_worker(group="overview")
    async def _read_again(self, *, keys_wait: bool = False) -> None:
        with keys_held(self) if keys_wait else NOT_HELD:
            await self.read()

    def notice(self, text: str) -> None:
        self.query_one("#notice", StatusLine).show_message(text)

    def show_message(self, sentence: str, *more: str) -> None:
        self.sentence = (sentence, *more)

    def show_progress(self, sentence: str, done: int, total: int, unit: str) -> None:
        """Say how far a long reading is, where the list would be or in its border."""
        if self.sentence:
            self.query_one(EmptyState).progress(sentence, done, total, unit, "")
        else:
            self._rows.set_title(self._heading, f"reloading · {percent(done, total)}")

    def show_rows(self, count: str) -> None:
        """Show the list, `count` in its border, and the details of its row."""
        self._count = count
        self._show_found()

    def _show_found(self) -> None:
        if self._rows.is_narrowed and not self._rows.found:
            self.show_message("Nothing matches.", "Esc clears the filter.")
            return
        found = f"{self._rows.found:,} shown · " if self._rows.is_narrowed else ""
        self._rows.set_title(self._heading, f"{found}{self._count}")
        self.sentence = ()
        self.show_details()

    @property
    def _filter(self) -> FilterBox:
        return self.query_one(FilterBox)

    def action_filter(self) -> None:
        self.zoomed = False
        self._filter.open()

    @on(FilterBox.Changed, "#filter")
    def _narrow(self, event: FilterBox.Changed) -> None:
        event.stop()
        self._rows.narrow(event.value)
        self._show_found()
        self.refresh_bindings()

    def on_filter_box_left(self) -> None:
        self.set_focus(None)
        self._arrange()

    @on(RowList.Moved, "#rows")
    @exclusive_worker(group="details")
    async def show_details(self) -> None:
        """Show the details of the row under the cursor, from their beginning if it is another."""
        self.refresh_bindings()  # some keys are of the row
        if not self._rows.row_count:
            return
        key = self._rows.cursor_key
        paragraphs = await ask(self.details())
        if self._rows.row_count and key == self._rows.cursor_key:
            self.query_one(DetailsPane).show(paragraphs, from_top=key != self._shown)
            self._shown = key

    def on_operation_ended(self, event: OperationEnded) -> None:
        self._read_again(keys_wait=True)  # they are meant for the rows to come

    def failed(self, error: StoreError) -> None:
        self.show_message(error.message, error.hint)

    @on(RowList.Chosen, "#rows")
    def action_zoom(self) -> None:
        self.zoomed = not self.zoomed and not self.sentence

    def action_leave(self) -> None:
        if self.zoomed:
            self.zoomed = False
        elif self._rows.is_narrowed:
            self._filter.action_clear()
        else:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "filter":
            return not self.sentence or self._rows.is_narrowed
        return not self.sentence if action == "zoom" else True

    def watch_zoomed(self) -> None:
        self._arrange()

    def watch_sentence(self, before: tuple[str, ...], after: tuple[str, ...]) -> None:
        if after:
            self.zoomed = False
        self._arrange()

    def _arrange(self) -> None:
        if not self.query("#empty-words"):
            return  # watchers run before there is anything to arrange
        empty, details = self.query_one(EmptyState), self.query_one(DetailsPane)
        if self.sentence:
            empty.show_message(*self.sentence)
        empty.display = bool(self.sentence)
        details.display = not self.sentence
        self._rows.display = not self.sentence and not self.zoomed
        if self.focused is self._filter and self._filter.display:
            pass  # somebody types
        elif self.sentence:
            self.set_focus(empty)
        elif self.zoomed:
            self.set_focus(details)
        else:
            self.set_focus(self._rows)
        self.refresh_bindings()
