"""The text of a recall as it would be injected: data, wrapped, its notes marked out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from textual.content import Content
from textual.geometry import Size
from textual.style import Style

from memtui.tui.frame.keys import bindings
from memtui.tui.widgets.line_view import LineView
from memtui.tui.widgets.panes import Scrolled, Titled
from store.recall.values import Recall
from store.text.display import visible

_HANG = 2


@dataclass(frozen=True, slots=True)
class _Line:
    """A line on the screen, and the id of the observation it is of; empty for packaging."""

    text: str
    id: str = ""


class RecallText(Scrolled, Titled, LineView, can_focus=True):
    """Scrolls a text of any length; only the lines that are seen are drawn."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"recall-text--note"}
    BINDINGS = bindings("reader", "injected text")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._recall = Recall()
        self._lines: tuple[_Line, ...] = ()
        self._heads: dict[str, int] = {}
        """The first line of each note."""
        self._note = ""
        self.follows = False
        """True if the marked note is brought in sight."""
        self._suspects: frozenset[str] = frozenset()

    @property
    def text_width(self) -> int:
        return max(0, self.scrollable_content_region.width)

    @property
    def text(self) -> str:
        return self._recall.text

    def show(self, recall: Recall) -> None:
        self._recall = recall
        self._suspects = frozenset(
            candidate.id for candidate in recall.included if candidate.is_suspect
        )
        self._lay_out()

    def show_note(self, identifier: str) -> None:
        """Mark the first line of an observation's note."""
        before, self._note = self._note, identifier
        for note in {before, identifier} & self._heads.keys():
            self.refresh_line(self._heads[note])
        if identifier in self._heads and self.follows:
            self._bring_in_sight(self._heads[identifier])

    def _bring_in_sight(self, head: int) -> None:
        """Scroll a page on or back to a note, so that the next ones are seen without scrolling."""
        end = head + sum(line.id == self._lines[head].id for line in self._lines)
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if head < top:
            self.scroll_to(y=min(head, end - height), animate=False, force=True, immediate=True)
        elif head > top and end > top + height:
            self.scroll_to(y=head, animate=False, force=True, immediate=True)

    def on_mount(self) -> None:
        self.set_title("Text")

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.text_width
        if width <= _HANG or not self.is_mounted:
            return
        ids = {candidate.id for candidate in self._recall.included}
        lines: list[_Line] = []
        note = ""
        for words in visible(self._recall.text).rstrip("\n").split("\n"):
            note = note if words.startswith("  ") else _note_of(words, ids)
            lines += [_Line(piece, note) for piece in _wrapped(words, width)]
        self._lines = tuple(lines)
        self._heads = {line.id: at for at, line in reversed([*enumerate(lines)]) if line.id}
        self.virtual_size = Size(width, len(lines))
        self.refresh()

    def line(self, index: int, width: int) -> tuple[Content, Style]:
        line = self._lines[index]
        ink = "$text-warning" if line.id in self._suspects else "" if line.id else "$dim"
        is_marked = self._heads.get(self._note) == index
        style = self.get_visual_style("recall-text--note") if is_marked else self.visual_style
        return Content.styled(line.text, ink), style


# A change of the budget leaves most lines as they are.
@lru_cache(maxsize=4_096)
def _wrapped(line: str, width: int) -> tuple[str, ...]:
    """Return the pieces of a line that fit `width` cells, hanging below its first."""
    body = line.lstrip(" ")
    lead = len(line) - len(body)
    first, *rest = [piece.plain for piece in Content(body).wrap(max(1, width - _HANG))] or [""]
    hang = " " * (max(lead, _HANG) if rest else lead)
    return (" " * lead + first.rstrip(), *(hang + piece.rstrip() for piece in rest))


def _note_of(line: str, ids: Collection[str]) -> str:
    """Return the id of the observation whose note begins with this line; its handle ends the id."""
    handle = line.partition(" ")[0].rstrip(":")
    if len(handle) < 3:
        return ""
    return next((identifier for identifier in ids if identifier.endswith(handle)), "")
