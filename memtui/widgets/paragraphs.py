"""Text in paragraphs, each wrapped with an indent of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.widgets import Static


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text, and the cells by which it is indented: its first line, and those it runs on in."""

    text: Content
    indent: int = 0
    hang: int | None = None


BLANK = Paragraph(Content(""))
"""An empty line."""


def plain(text: str, style: str = "") -> Paragraph:
    """A paragraph of one style."""
    return Paragraph(Content.styled(text, style) if style else Content(text))


class Paragraphs(Static):
    """Shows paragraphs, laid out for the width there is."""

    def __init__(self, paragraphs: Sequence[Paragraph] = (), *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self._paragraphs = tuple(paragraphs)
        self._laid_out_for = 0

    def show(self, paragraphs: Sequence[Paragraph]) -> None:
        """Show other paragraphs."""
        self._paragraphs = tuple(paragraphs)
        self._lay_out()

    def on_resize(self) -> None:
        """Lines follow the width."""
        if self.content_size.width != self._laid_out_for:
            self._lay_out()

    def _lay_out(self) -> None:
        width = self.content_size.width
        self._laid_out_for = width
        if width:
            lines = [line for each in self._paragraphs for line in _wrapped(each, width)]
            self.update(Content("\n").join(lines))


def _wrapped(paragraph: Paragraph, width: int) -> list[Content]:
    first = paragraph.indent
    hang = first if paragraph.hang is None else paragraph.hang
    room = max(10, width - max(first, hang))
    fits = paragraph.text.cell_length <= room and "\n" not in paragraph.text.plain
    lines = [paragraph.text] if fits else paragraph.text.wrap(room)
    return [
        Content.assemble(" " * (first if number == 0 else hang), line)
        for number, line in enumerate(lines or [Content("")])
    ]
