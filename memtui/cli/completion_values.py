"""Values that a shell offers while an option is typed."""

from __future__ import annotations

import click


def complete_category(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """The categories memtui knows that begin so."""
    from store.model import Category

    return [str(category) for category in Category if category.startswith(typed)]


def complete_agent(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """The agents of the memory that begin so; none where there is no memory to ask."""
    from memtui.cli.memory import opened
    from store.errors import StoreError

    folder = ctx.params.get("folder") or ctx.find_root().params.get("folder")
    try:
        with opened(folder) as memory:
            agents = memory.stats().by_agent
    except StoreError:
        # A shell that completes has no place for an error; the command itself will say it.
        return []
    return sorted(agent for agent in agents if agent.startswith(typed))
