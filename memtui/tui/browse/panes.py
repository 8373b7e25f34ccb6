"""The panes of Browse: the gauge of the next session, and which of all panes show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult, RenderResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.browse.agent_list import AgentList
from memtui.tui.browse.category_tree import CategoryTree
from memtui.tui.browse.query_text import chosen
from memtui.tui.browse.results_pane import ResultsPane
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import key_in_use
from memtui.tui.frame.routes import NextOf
from memtui.tui.memory.pane import ObservationView
from memtui.tui.widgets.gauge import Forecast, Gauge, line_of
from store.model import Facets

if TYPE_CHECKING:
    from store import Memory
    from store.recall.request import RecallRequest

SIDE_WIDTH = 100
"""Columns from which agents and categories fit beside the results."""
BESIDE = 60
"""Columns from which results can be read beside the choices."""
TALL = 16
"""Lines from which the observation fits below the results, and all choices above each other."""
_PAUSE = 0.12
"""Seconds without another request, after which the recall is worked out: keys go first."""


class RecallGauge(Gauge):
    request: RecallRequest | NextOf | None = None
    client = ""

    async def on_click(self) -> None:
        await self.run_action("screen.inject")

    @exclusive_worker(group="gauge")
    async def follow(self, memory: Memory, request: Callable[[], RecallRequest | NextOf]) -> None:
        from memtui.tui.injection.forecast import answer, forecast_of  # as late as the recall

        await asyncio.sleep(_PAUSE)
        if (wanted := request()) == self.request:
            return
        found = await ask(answer, memory, wanted)
        self.request = wanted
        self.client = found.request.client or self.client
        self.forecast = forecast_of(found, key_in_use(self.app, "app.setup"))


class RecallLine(Widget):
    """The gauge in one line, for windows without room for it at the left of the results."""

    forecast: reactive[Forecast | None] = reactive(None)

    def render(self) -> RenderResult:
        return "" if self.forecast is None else line_of(self.forecast, self.content_size.width)

    async def on_click(self) -> None:
        await self.run_action("screen.inject")


class Panes(Horizontal):
    """Choices at the left, results and observation at the right.

    Where the window is narrow the choices show only while one is in them; without them the gauge is
    a line above the results; where it is low one pane shows at a time.
    """

    zoomed: reactive[Widget | None] = reactive(None)

    def __init__(self, *, id: str, now: Callable[[], datetime]) -> None:
        super().__init__(id=id)
        self.agents = AgentList(id="agents")
        self.categories = CategoryTree(id="categories")
        self.gauge = RecallGauge(id="gauge")
        self.next_line = RecallLine(id="next-line")
        self.results = ResultsPane(id="results-pane", now=now)
        self.observation = ObservationView(id="observation", now=now)
        self._choices = Vertical(self.agents, self.categories, self.gauge, id="choices")
        self._found = Vertical(self.next_line, self.results, self.observation, id="found")

    def compose(self) -> ComposeResult:
        yield self._choices
        yield self._found

    def on_mount(self) -> None:
        self.watch(self.gauge, "forecast", self._show_line)

    def _show_line(self) -> None:
        self.next_line.forecast = self.gauge.forecast

    def show_chosen(self, query: str) -> None:
        """Mark the choices that a query names."""
        fields = ("agent", "layer", "category")
        values = [(field, value) for field in fields for value in chosen(query, field)]
        self.agents.show_chosen(values)
        self.categories.show_chosen(values)

    def show_counts(self, everything: Facets, found: Facets) -> None:
        """Show what there is of each choice, and how many of it a query found."""
        if self.is_attached:  # a screen that closes takes its lists away first
            self.agents.show(everything.agents, found.agents)
            self.categories.show(everything.categories, found.layers, found.categories)

    def step(self, step: int) -> None:
        """Give the focus to the next pane, or with -1 to the one before."""
        panes: list[Widget] = [self.agents, self.categories, self.results.rows, self.observation]
        if self.zoomed is not None:
            panes = [pane for pane in panes if self.zoomed in pane.ancestors_with_self]
        elif not self._is_tall:
            panes.remove(self.observation)
        at = next((i for i, pane in enumerate(panes) if pane.has_focus), 0)
        pane = panes[(at + step) % len(panes)]
        self.show_for(pane)
        self.screen.set_focus(pane)

    def go_to(self, number: int) -> None:
        """Give the focus to a pane by its number, from 1; what is zoomed gives way."""
        pane = (self.agents, self.categories, self.results.rows, self.observation)[number - 1]
        if self.zoomed is not None and self.zoomed not in pane.ancestors_with_self:
            self.zoomed = None
        self.show_for(pane)
        self.screen.set_focus(pane)

    def toggle_zoom(self) -> None:
        focused = self.screen.focused
        if self.zoomed is not None or focused is None:
            self.zoomed = None
            return
        panes = (self.agents, self.categories, self.results, self.observation)
        self.zoomed = next((pane for pane in panes if pane in focused.ancestors_with_self), None)

    def watch_zoomed(self) -> None:
        self.show_for(self.screen.focused)
        self.screen.refresh_bindings()

    def on_descendant_focus(self) -> None:
        self.show_for(self.screen.focused)
        self.observation.follow_focus()

    def on_resize(self) -> None:
        self.show_for(self.screen.focused)

    @property
    def _is_tall(self) -> bool:
        return self.screen.size.height >= TALL

    def show_for(self, focused: Widget | None) -> None:
        """Show the panes that fit, the zoomed one alone, and always the one with the focus."""
        sides = (self.agents, self.categories, self.gauge)
        self._choices.remove_class("-alone")
        if (zoomed := self.zoomed) is not None:
            for pane in (*sides, self.next_line, self.results, self.observation):
                pane.display = pane is zoomed
            self._choices.display = zoomed in sides
            self._found.display = zoomed not in sides
            return
        size, tall = self.screen.size, self._is_tall
        choosing = focused is not None and self._choices in focused.ancestors
        for pane in sides:
            pane.display = tall or pane is focused
        self.observation.display = tall or self.observation is focused
        self.results.display = tall or not self.observation.display
        self._choices.display = (size.width >= SIDE_WIDTH and tall) or choosing
        self.next_line.display = tall and not self._choices.display
        self._found.display = size.width >= BESIDE or not choosing
        self.set_class(not tall, "-low")
        self._choices.set_class(not self._found.display, "-alone")
