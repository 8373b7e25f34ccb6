"""Pick an agent from a counted list."""

from __future__ import annotations

from memtui.tui import routes
from memtui.tui.dialogs.picker import Choice, PickScreen
from memtui.tui.route import Context
from store.text import visible
from store.values import AGENT_NAME

ALL = ""
"""Stands for all agents."""


class AgentPicker(PickScreen[str]):
    """Agents, those who observed most first; gives the agent, ALL or None."""

    def __init__(self, context: Context, route: routes.PickAgent) -> None:
        counts, chosen = route.counts, route.chosen
        agents = [
            Choice(agent, visible(agent, newlines=False), agent, counts[agent], agent == chosen)
            for agent in sorted(counts, key=lambda name: (-counts[name], name))
        ]
        super().__init__(
            "Agents",
            [Choice(ALL, "all agents", "", sum(counts.values())), *agents],
            placeholder="type a name",
            other=_typed,
        )


def _typed(typed: str) -> Choice[str] | None:
    """An agent that memory holds nothing of."""
    name = typed.strip()
    if not AGENT_NAME.fullmatch(name):
        return None
    return Choice(name, f"{name}  no memories", name, 0)
