"""A Textual app with as many widgets as Browse, and of the same kinds, that does nothing.

What it costs is what Textual costs; what the app costs beyond it is ours. With the folder of an
index it also shows the newest fifty in it once its first frame is out, and that is all it does:
what rows cost any app of Textual and tantivy that looks at no file.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

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
ROW = "▸ "
"""What stands before the first row of an index and nowhere else."""


class Rows(ScrollView, can_focus=True):
    """Lines that are drawn one by one."""

    DEFAULT_CSS = "Rows { height: 1fr; border: round $primary; }"
    texts: Sequence[str] = ()

    def on_resize(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, 100)

    def render_line(self, y: int) -> Strip:
        """A number and a few words."""
        width = self.scrollable_content_region.width
        at = self.scroll_offset.y + y
        text = self.texts[at] if at < len(self.texts) else f"{at:5}  a row of a list"
        line = Strip([Segment(text, self.rich_style)])
        return line.adjust_cell_length(width, self.rich_style)


class Pane(VerticalScroll):
    """Text to read."""

    DEFAULT_CSS = "Pane { height: 14; border: round $primary; }"


class Line(Widget):
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

    def __init__(self, index: str = "") -> None:
        super().__init__()
        self._index_folder = index

    def on_ready(self) -> None:
        """The first frame is out."""
        if self._index_folder:
            self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        import orjson
        from tantivy import Index, Order, Query

        from store.search.schema import CHECK

        searcher = Index.open(self._index_folder).searcher()
        hits = searcher.search(
            Query.all_query(), 50, count=False, order_by_field="time", order=Order.Desc
        ).hits
        records = [bytes(searcher.doc(at).get_first("record") or b"") for _, at in hits]
        texts = [ROW + str(orjson.loads(record[CHECK:])["summary"]) for record in records]
        self.call_from_thread(self._show, texts)

    def _show(self, texts: list[str]) -> None:
        rows = self.query_one("#results", Rows)
        rows.texts = texts
        rows.refresh()

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
    BareApp(*sys.argv[1:]).run()
