"""The panes of Browse: the agents, the categories, the gauge, and which of all panes show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.message import Message

from memtui.formatting import count, fit
from memtui.tui.frame.ask import ask, question
from memtui.tui.frame.keys import bindings
from memtui.tui.frame.theme import color_of, mark_of
from memtui.tui.widgets.panes import Titled
from memtui.tui.widgets.row_list import RowList
from store.model import INTERACTION, LAYER_OF, Layer, layer_of
from store.text.display import visible

if TYPE_CHECKING:
    from store import Memory
import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.browse.results import ResultsPane
from memtui.tui.frame.keys import key_in_use
from memtui.tui.memory.pane import ObservationView
from memtui.tui.widgets.gauge import Gauge, GaugeLine

if TYPE_CHECKING:
    from memtui.tui.frame.routes import NextOf
    from store import Memory
    from store.recall.request import RecallRequest

_STATES: Mapping[str, Sequence[str]] = {
    "clarifying": ("clarifying", "asked", "?"),
    "blocked-clarification": ("blocked-clarification", "blocked", "!"),
}
"""The states of agents, as long as there is room for."""


class AgentList(Titled, RowList[str | None]):
    """`all`, then every agent of the store; those chosen carry a check mark."""

    BINDINGS = bindings("agents")

    @dataclass
    class Toggled(Message):
        """An agent was chosen or taken back; None chooses all."""

        agent: str | None

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._agents: tuple[str, ...] = ()
        self._counts: Mapping[str, int] = {}
        self._everything: Mapping[str, int] = {}
        self._states: Mapping[str, str] = {}
        self._chosen: frozenset[str] = frozenset()

    def on_mount(self) -> None:
        self.set_title("Agents")

    def show(self, everything: Mapping[str, int], found: Mapping[str, int]) -> None:
        """List the agents of `everything`, most memories first, with the counts of `found`.

        The order follows the whole store, so that rows stay where they are while one types.
        """
        at = self.agent_at(self.cursor)
        self._everything = everything
        known = {**dict.fromkeys(self._states, 0), **everything}
        self._agents = tuple(sorted(known, key=lambda name: (-known[name], name)))
        self._counts = found
        self.row_count = len(self._agents) + 1
        if at in self._agents:
            self.cursor = self._agents.index(at) + 1
        self.set_title("Agents", count(len(self._agents)))
        self.reload()

    @question("agent states")
    async def follow(self, memory: Memory) -> None:
        """Show what clarifications make of the agents, also those that have no memory."""
        states = await ask(memory.clarifications.agent_states)
        if states != self._states:
            self._states = states
            self.show(self._everything, self._counts)

    def show_chosen(self, agents: tuple[str, ...]) -> None:
        if self._chosen != frozenset(agents):
            self._chosen = frozenset(agents)
            self.refresh()

    def agent_at(self, index: int) -> str | None:
        return self._agents[index - 1] if 0 < index <= len(self._agents) else None

    def row(self, index: int, width: int) -> Content:
        agent = self.agent_at(index)
        number = sum(self._counts.values()) if agent is None else self._counts.get(agent, 0)
        picked = agent in self._chosen
        figure = count(number)
        name, room = visible(agent or "all", newlines=False), width - len(figure) - 4
        state = _fitting(self._states.get(agent or ""), room - len(name) - 1)
        style = "bold $accent-text" if picked else "" if number or state else "$dim"
        return Content.assemble(
            ("✓ " if picked else "  ", "$accent-text"),
            (fit(name, room - len(state)), style),
            *([(state, "$text-warning")] if state else []),
            " ",
            (figure, "$dim"),
            " ",
        )

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Toggled(self.agent_at(event.index)))


def _fitting(state: str | None, room: int) -> str:
    words = _STATES.get(state or "", ())
    return next((word for word in words if len(word) <= room), words[-1] if words else "")


_ALWAYS = frozenset(LAYER_OF) - {INTERACTION}
"""The categories that are listed before there are any; what programs store is where it is there."""


class Branch(NamedTuple):
    """A row of the tree: a layer, or with `category` one of its categories."""

    layer: Layer
    category: str = ""


class CategoryTree(Titled, RowList[Branch]):
    BINDINGS = bindings("categories")

    @dataclass
    class Toggled(Message):
        """A layer (no category) or a category was chosen or taken back."""

        branch: Branch

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._categories: frozenset[str] = _ALWAYS
        self._layer_counts: Mapping[str, int] = {}
        self._category_counts: Mapping[str, int] = {}
        self._counted = False
        self._layers_chosen: frozenset[str] = frozenset()
        self._categories_chosen: frozenset[str] = frozenset()
        self._folded: set[Layer] = set()
        self._branches: tuple[Branch, ...] = ()

    def on_mount(self) -> None:
        self.set_title("Categories")
        self._grow()

    def show(
        self,
        everything: Mapping[str, int],
        layers: Mapping[str, int],
        categories: Mapping[str, int],
    ) -> None:
        """List the known categories and those of `everything`, with the query's counts."""
        self._categories = _ALWAYS | frozenset(everything)
        self._layer_counts, self._category_counts = layers, categories
        self._counted = True
        self._grow()
        self.set_title("Categories", count(sum(1 for number in everything.values() if number)))

    def show_chosen(self, layers: tuple[str, ...], categories: tuple[str, ...]) -> None:
        wanted = frozenset(layers), frozenset(categories)
        if wanted != (self._layers_chosen, self._categories_chosen):
            self._layers_chosen, self._categories_chosen = wanted
            self.refresh()

    def _grow(self) -> None:
        at = self._branches[self.cursor] if self._branches else None
        branches: list[Branch] = []
        for layer in (Layer.SEMANTIC, Layer.EPISODIC, Layer.WORKING, Layer.PROCEDURAL, Layer.OTHER):
            members = [name for name in self._categories if layer_of(name) is layer]
            if not members:
                continue
            branches.append(Branch(layer))
            if layer not in self._folded:
                known = list(LAYER_OF)
                members.sort(key=lambda name: (known.index(name) if name in known else 99, name))
                branches += [Branch(layer, name) for name in members]
        self._branches = tuple(branches)
        self.row_count = len(branches)
        if at in self._branches:
            self.cursor = self._branches.index(at)
        elif at is not None:
            self.cursor = next(
                (i for i, branch in enumerate(branches) if branch.layer is at.layer), 0
            )
        self.reload()

    def row(self, index: int, width: int) -> Content:
        branch = self._branches[index]
        if branch.category:
            number = self._category_counts.get(branch.category, 0)
            picked = branch.category in self._categories_chosen
            color = color_of(branch.category) if number else "$dim"
            mark, name, indent = mark_of(branch.category), branch.category, " "
        else:
            number = self._layer_counts.get(branch.layer, 0)
            picked = branch.layer in self._layers_chosen
            color = "$dim"
            mark, name, indent = "▸" if branch.layer in self._folded else "▾", branch.layer, ""
        figure = count(number) if self._counted else ""
        return Content.assemble(
            ("✓ " if picked else "  ", "$accent-text"),
            indent,
            (mark, color),
            " ",
            (
                fit(visible(name, newlines=False), width - len(figure) - len(indent) - 6),
                "bold $accent-text" if picked else "" if number else "$dim",
            ),
            " ",
            (figure, "$dim"),
            " ",
        )

    def clicked(self, index: int, times: int) -> None:
        self.action_choose()

    def action_fold(self, folded: bool) -> None:
        layer = self._branches[self.cursor].layer
        if folded:
            self._folded.add(layer)
        else:
            self._folded.discard(layer)
        self._grow()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.post_message(self.Toggled(self._branches[event.index]))


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

    @question("gauge")
    async def follow(self, memory: Memory, request: Callable[[], RecallRequest | NextOf]) -> None:
        from memtui.tui.injection.request import answer, forecast_of  # as late as the recall

        await asyncio.sleep(_PAUSE)
        if (wanted := request()) == self.request:
            return
        found = await ask(answer, memory, wanted)
        self.request = wanted
        self.client = found.request.client or self.client
        self.forecast = forecast_of(found, key_in_use(self.app, "app.setup"))


class RecallLine(GaugeLine):
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

    def step(self, step: int) -> None:
        """Give the focus to the next pane, or with -1 to the one before."""
        panes = [self.agents, self.categories, self.results.rows, self.observation]
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
