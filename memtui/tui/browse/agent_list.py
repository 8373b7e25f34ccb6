"""The agents with the counts of what the query finds; choosing one filters by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.formatting import count, fit
from memtui.tui.browse.filter_list import FilterList
from memtui.tui.frame.ask import ask, exclusive_worker
from memtui.tui.frame.keys import bindings
from store.text.display import visible_line

if TYPE_CHECKING:
    from store import Memory

_STATES: Mapping[str, Sequence[str]] = {
    "clarifying": ("clarifying", "asked", "?"),
    "blocked-clarification": ("blocked-clarification", "blocked", "!"),
}
"""The states of agents, as long as there is room for."""


class AgentList(FilterList[str | None]):
    """`all`, then every agent of the store; those chosen carry a check mark."""

    BINDINGS = bindings("agents")

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._counts: Mapping[str, int] = {}
        self._everything: Mapping[str, int] = {}
        self._states: Mapping[str, str] = {}

    def on_mount(self) -> None:
        self.set_title("Agents")

    def show(self, everything: Mapping[str, int], found: Mapping[str, int]) -> None:
        """List the agents of `everything`, most memories first, with the counts of `found`.

        The order follows the whole store, so that rows stay where they are while one types.
        """
        at = self.at
        self._everything, self._counts = everything, found
        known = {**dict.fromkeys(self._states, 0), **everything}
        agents = sorted(known, key=lambda name: (-known[name], name))
        self.list_rows((None, *agents))
        if at in agents:
            self.cursor = self.rows.index(at)
        self.set_title("Agents", count(len(agents)))

    @exclusive_worker(group="agent states")
    async def follow(self, memory: Memory) -> None:
        """Show what clarifications make of the agents, also those that have no memory."""
        states = await ask(memory.clarifications.agent_states)
        if states != self._states:
            self._states = states
            self.show(self._everything, self._counts)

    def filter_of(self, row: str | None) -> tuple[str, str]:
        return "agent", row or ""

    def row(self, index: int, width: int) -> Content:
        agent = self.rows[index]
        number = sum(self._counts.values()) if agent is None else self._counts.get(agent, 0)
        picked = self.is_chosen(agent)
        figure = count(number)
        name, room = visible_line(agent or "all"), width - len(figure) - 4
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


def _fitting(state: str | None, room: int) -> str:
    words = _STATES.get(state or "", ())
    return next((word for word in words if len(word) <= room), words[-1] if words else "")
