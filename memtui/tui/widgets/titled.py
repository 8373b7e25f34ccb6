"""A border title with a count at its right end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.color import Color
from textual.content import Content
from textual.style import Style

from memtui.formatting import fit

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
            self.border_title = Content.assemble(name, rule, count)
