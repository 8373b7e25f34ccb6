"""A Textual app with as many widgets as Browse, and of the same kinds, that does nothing.

What it costs is what Textual costs; what the app costs beyond it is ours.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

FIRST = "A bare app"
"""What stands on its first frame and nowhere else."""


class Rows(ScrollView, can_focus=True):
    """Lines that are drawn one by one."""

    DEFAULT_CSS = "Rows { height: 1fr; border: round $primary; }"

    def on_resize(self) -> None:
        """There are a hundred."""
        self.virtual_size = Size(self.scrollable_content_region.width, 100)

    def render_line(self, y: int) -> Strip:
        """A number and a few words."""
        width = self.scrollable_content_region.width
        line = Strip([Segment(f"{self.scroll_offset.y + y:5}  a row of a list", self.rich_style)])
        return line.adjust_cell_length(width, self.rich_style)


class Pane(VerticalScroll):
    """Text to read."""

    DEFAULT_CSS = "Pane { height: 14; border: round $primary; }"


class Line(Widget):
    """A line of text."""

    DEFAULT_CSS = "Line { height: 1; }"

    def render(self) -> str:
        """The same words always."""
        return FIRST


class BareApp(App[None]):
    """Two columns between two lines."""

    AUTO_FOCUS = "Input"
    CSS = """
    #choices { width: 28; }
    #found { width: 1fr; }
    #search-line { height: 1; }
    #left, #right { width: 4; }
    #search { width: 1fr; border: none; height: 1; padding: 0; }
    #gauge { height: 4; border: round $primary; }
    #results-frame { border: round $primary; border-top: none; }
    #results { border: none; }
    .hidden { display: none; }
    """

    def compose(self) -> ComposeResult:
        """Each widget stands for one of Browse's."""
        yield Line(id="title")
        yield Static(id="notice", classes="hidden")
        with Horizontal(id="panes"):
            with Vertical(id="choices"):
                yield Rows(id="agents")
                yield Rows(id="categories")
                yield Line(id="gauge")
            with Vertical(id="found"):
                with Vertical(id="results-pane"):
                    with Horizontal(id="search-line"):
                        yield Static("╭ / ", id="left")
                        yield Input(id="search", placeholder="words")
                        yield Static("───╮", id="right")
                    with Vertical(id="results-frame"):
                        yield Static(id="hint", classes="hidden")
                        yield Rows(id="results")
                        yield Static(id="sentence", classes="hidden")
                    yield Line(id="completions", classes="hidden")
                with Pane(id="observation"):
                    yield Static("Something to read.\n" * 8, id="observation-text")
        yield Line(id="keys")


if __name__ == "__main__":
    BareApp().run()
