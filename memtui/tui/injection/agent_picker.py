"""Pick an agent from a counted list."""

from __future__ import annotations

from collections.abc import Mapping

from memtui.tui.dialogs.picker import Choice, PickScreen
from store.text.visible import visible

ALL = ""
"""Stands for all agents."""


class AgentPicker(PickScreen[str]):
    """Agents, those who observed most first; gives the agent, ALL or None."""

    def __init__(self, counts: Mapping[str, int], chosen: str | None) -> None:
        """`counts` of observations by agent."""
        agents = [
            Choice(agent, visible(agent, newlines=False), agent, counts[agent], agent == chosen)
            for agent in sorted(counts, key=lambda name: (-counts[name], name))
        ]
        super().__init__(
            "Agents",
            [Choice(ALL, "all agents", "", sum(counts.values())), *agents],
            placeholder="type a name",
        )
