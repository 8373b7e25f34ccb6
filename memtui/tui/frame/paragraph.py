"""A paragraph: a text with an indent of its own."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text, and the cells by which it is indented: its first line, and those it runs on in.

    With a `lead` the text stands beside it, in a column of its own.
    """

    text: Content
    indent: int = 0
    hang: int | None = None
    lead: Content | None = None


BLANK = Paragraph(Content(""))


def plain(text: str, style: str = "") -> Paragraph:
    return Paragraph(Content.styled(text, style) if style else Content(text))
