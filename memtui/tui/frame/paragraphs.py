"""Text in paragraphs, each wrapped with an indent of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget


class Paragraphs(Widget):
    def __init__(self, paragraphs: Sequence[Paragraph] = (), *, id: str) -> None:
        super().__init__(id=id)
        self._paragraphs = tuple(paragraphs)
        self._laid_out: tuple[int, Content] | None = None

    def render(self) -> RenderResult:
        return self._for_width(self.content_size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._for_width(width).plain.count("\n") + 1 if width else 0

    def _for_width(self, width: int) -> Content:
        if self._laid_out is None or self._laid_out[0] != width:
            lines = wrapped_lines(self._paragraphs, width)
            self._laid_out = width, Content("\n").join(lines)
        return self._laid_out[1]


def wrapped_lines(paragraphs: Sequence[Paragraph], width: int) -> list[Content]:
    """Return the lines of paragraphs, each of at most `width` cells."""
    return [line for paragraph in paragraphs for line in _wrapped(paragraph, width)]


def _wrapped(paragraph: Paragraph, width: int) -> list[Content]:
    if paragraph.lead is not None:
        return _with_lead(paragraph.lead, paragraph.text, width)
    first = paragraph.indent
    hang = first if paragraph.hang is None else paragraph.hang
    room = max(10, width - max(first, hang))
    fits = paragraph.text.cell_length <= width - first and "\n" not in paragraph.text.plain
    lines = [paragraph.text] if fits else paragraph.text.wrap(room)
    return [
        Content.assemble(" " * (first if number == 0 else hang), line)
        for number, line in enumerate(lines or [Content("")])
    ]


def _with_lead(lead: Content, text: Content, width: int) -> list[Content]:
    indent = lead.cell_length
    lines = text.wrap(max(10, width - indent)) if text.plain else [text]
    return [
        Content.assemble(" " * indent if number else lead, line)
        for number, line in enumerate(lines)
    ]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text, and the cells by which it is indented: its first line, and those it runs on in.

    With a `lead` the text has a column of its own at its right.
    """

    text: Content
    indent: int = 0
    hang: int | None = None
    lead: Content | None = None


BLANK = Paragraph(Content(""))
"""An empty line."""


def plain(text: str, style: str = "") -> Paragraph:
    return Paragraph(Content.styled(text, style) if style else Content(text))
