"""Interactions of an agent, stored and retrieved by JSON-RPC."""

from __future__ import annotations

from typing import Any

from tests.seeds.world import World

INVALID, NOT_FOUND = -32602, -32001
ASKED = "2026-03-01T11:50:00Z"
FACT = "## Decisions\n- Chose SQLite for the login over a server\n"


def interaction(number: int = 1, **of: Any) -> dict[str, Any]:  # noqa: ANN401
    """An interaction of ten minutes ago."""
    usual = {"id": f"i-{number}", "query": f"Why is login {number} red?", "timestamp": ASKED}
    return usual | of


def keep(world: World, number: int = 1, agent: str = "engineer", **of: Any) -> str:  # noqa: ANN401
    """Store an interaction by JSON-RPC; its memory's id."""
    stored = world.rpc("memory.store", agent, interaction=interaction(number, **of))
    identifier: str = stored["memory_id"]
    return identifier


def retrieved(world: World, query: str = "login", **of: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    found: list[dict[str, Any]] = world.rpc("memory.retrieve", query=query, **of)["memories"]
    return found


def context(world: World, query: str = "login", **of: Any) -> dict[str, Any]:  # noqa: ANN401
    found: dict[str, Any] = world.rpc("memory.get_context", query=query, **of)
    return found
