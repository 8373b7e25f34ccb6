"""The base of what draws only the lines that are seen, so that its cost does not grow with them."""

from __future__ import annotations

from abc import abstractmethod

from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions


class LineView(ScrollView):
    """Lines that subclasses draw with `line`; `virtual_size` has their number."""

    _laid_out: tuple[Size, Size, Size] | None = None

    @abstractmethod
    def line(self, index: int, width: int) -> tuple[Content, Style]:
        """Return the content of a line for `width` cells, and what it lies on."""

    def render_line(self, y: int) -> Strip:
        """Draw the line that is at `y` in the widget.

        Nothing in it is selected with the mouse, and no part is a link: asking for either would
        take as long as a fifth of drawing it.
        """
        index, width = self.scroll_offset.y + y, self.scrollable_content_region.width
        if index >= self.virtual_size.height:
            return Strip.blank(width, self.visual_style.rich_style)
        content, style = self.line(index, width)
        options = RenderOptions(_parsed, self.styles)  # type: ignore[arg-type]  # as Textual does
        strips = content.truncate(width, ellipsis=True, pad=True).render_strips(
            width, 1, style, options
        )
        if not strips:
            return Strip.blank(width, style.rich_style)
        return strips[0].adjust_cell_length(width, style.rich_style).simplify()

    def refresh_line(self, y: int) -> None:
        """Draw a line anew, without the scrollbar at its end."""
        self.refresh(Region(0, y - self.scroll_offset.y, self.scrollable_content_region.width, 1))

    def reveal(self, first: int, count: int = 1) -> None:
        """Scroll, if need be, until some lines are seen."""
        self.scroll_to_region(Region(0, first, 1, count), animate=False, force=True)

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        # Textual draws the scrollbar anew whenever anything on the screen is laid out: 45 bytes a
        # line for a key that only moves the cursor.
        laid_out = size, self.virtual_size, container_size
        if laid_out == self._laid_out:
            return False
        self._laid_out = laid_out
        return super()._size_updated(size, virtual_size, container_size, layout)


def _parsed(style: str | Style) -> Style:
    """Return a style as it is written in a line; Textual parses each once."""
    return style if isinstance(style, Style) else Style.parse(style)
