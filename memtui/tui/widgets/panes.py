"""The widgets that screens are made of: titled panes, texts that scroll, status lines, boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.color import Color
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.style import Style
from textual.widgets import Input, Static

from memtui.formatting import count, fit, joined, progress_bar
from memtui.tui.frame.keys import bindings
from store.text.display import visible, visible_line

if TYPE_CHECKING:
    from textual.widget import Widget as _Mixed
else:
    # Textual's sheets follow the first base only, which has to be the widget that is mixed with.
    _Mixed = object


class Titled(_Mixed):
    """Makes a widget a pane whose top border reads `╭ title ──────── count ╮`."""

    DEFAULT_CLASSES = "pane"
    _name_in_border = ""
    _count_in_border = ""
    _drawn: tuple[object, ...] = ()
    """What the title was drawn from: where that stays the same, the widget is not drawn anew."""

    def set_title(self, name: str, count: str = "") -> None:
        """Write `name` at the left and `count` at the right end of the border."""
        self._name_in_border, self._count_in_border = name, count
        self._draw_title()

    def on_resize(self) -> None:
        self._draw_title()

    def notify_style_update(self) -> None:
        """The line between has the border's colour, which follows the focus and the theme."""
        super().notify_style_update()
        if self.is_mounted:
            self._draw_title()

    def _draw_title(self) -> None:
        name, count = self._name_in_border, self._count_in_border
        # Before there is a size, the name as it will be: the first frame has it.
        room = self.outer_size.width - 6 if self.outer_size else cell_len(name)
        if room <= 0:
            return
        line = room - cell_len(name) - cell_len(count) - 2
        if line < 1 or not count:
            self._write_title(name if cell_len(name) <= room else fit(name, room))
        else:
            self._write_title(name, f" {'─' * line} ", self.styles.border_top[1], count)

    def _write_title(
        self, name: str, line: str = "", color: Color | None = None, count: str = ""
    ) -> None:
        drawn = (name, line, color, count)
        if drawn != self._drawn:
            self._drawn = drawn
            rule = Content.styled(line, Style(foreground=color, bold=False))
            # Textual draws all of a widget whose title is assigned.
            self._border_title = Content.assemble(name, rule, count)
            line_of_title = Region(0, 0, self.outer_size.width, 1)
            self.refresh(line_of_title.translate(-self.content_offset))


class Window(Titled, Vertical):
    """The window of a dialog."""


class Scrolled(_Mixed):
    def action_by(self, lines: int) -> None:
        self.scroll_relative(y=lines, animate=False, immediate=True)

    def action_page(self, pages: int) -> None:
        self.action_by(pages * max(1, self.content_size.height - 1))

    def action_to(self, end: bool) -> None:
        self.scroll_to(y=self.max_scroll_y if end else 0, animate=False, immediate=True)


class Reader(Scrolled, Titled, VerticalScroll):
    """Text to read; it takes the focus so that its keys scroll it."""

    BINDINGS = bindings("reader")


def calm(sentence: str, *more: str) -> Content:
    """Return a sentence in bold, and below it, dimmed, what there is to add."""
    lines = [Content.styled(visible(sentence), "bold")]
    lines += [Content.styled(visible(line), "$dim") for line in more if line]
    return Content("\n").join(lines)


class EmptyState(Reader):
    """Says a sentence where there is nothing to show."""

    def compose(self) -> ComposeResult:
        yield Static(id="empty-words", markup=False)

    def show_message(self, sentence: str, *more: str) -> None:
        words = self.query_one(Static)
        words.update(calm(sentence, *more))
        # Textual keeps the size of words that are replaced as soon as they are laid out.
        self.call_after_refresh(words.refresh, layout=True)

    def progress(self, sentence: str, done: int, total: int, unit: str, hint: str) -> None:
        progress_in_words = f"{count(done)} of {count(total)} {unit}" if total else ""
        self.show_message(sentence, progress_bar(done, total), progress_in_words or " ", "", hint)


class StatusLine(Static):
    """Plain text; laid out anew only when it changes."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._said = ""
        self.display = False

    def show_message(self, text: str) -> None:
        if text != self._said:
            self._said = text
            self.update(Content(visible_line(text)))
            self.display = bool(text)


class Box(Input):
    """Begins without a selection, and shows what could act on the terminal as symbols.

    Tab stays in it: the letters that follow would be commands elsewhere.
    """

    BINDINGS = bindings("box")

    def __init__(
        self, value: str = "", *, id: str, placeholder: str = "", restrict: str | None = None
    ) -> None:
        super().__init__(
            value,
            id=id,
            placeholder=placeholder,
            restrict=restrict,
            highlighter=_Symbols(),
            compact=True,
            select_on_focus=False,
        )

    def action_stay(self) -> None:
        """Do nothing."""

    def on_paste(self, event: events.Paste) -> None:
        event.text = joined(event.text)


class _Symbols(Highlighter):
    """Changes the letters and no style."""

    def highlight(self, text: Text) -> None:
        text.plain = visible_line(text.plain)
