"""What a shell offers for the values of options.

Every command loads this, and hardly any is completed: each function imports what it asks.
"""

from __future__ import annotations

import click

from memtui.cli.memory import find_memory


def complete_category(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    from store.model import Category

    return [str(category) for category in Category if category.startswith(typed)]


def complete_agent(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """Return the agents of the memory that begin so; none where there is no memory to ask.

    Only names that could be stored: a shell runs what it is offered, and files may name an agent
    `$(anything)`.
    """
    from store import open_memory
    from store.errors import StoreError
    from store.validation.rules import AGENT_NAME

    try:
        with ctx.scope(), open_memory(find_memory()) as memory:
            agents = memory.stats().by_agent
    except StoreError:
        # A shell that completes has no place for an error; the command itself will report it.
        return []
    return sorted(
        agent for agent in agents if agent.startswith(typed) and AGENT_NAME.fullmatch(agent)
    )


def complete_setting(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    from store.settings.schema import known_settings

    return [name for name in known_settings() if name.startswith(typed)]


def complete_setting_value(
    ctx: click.Context, _parameter: click.Parameter, typed: str
) -> list[str]:
    """Return the values that begin so of the setting named before, where it takes a few."""
    from store.settings.schema import known_settings

    info = known_settings().get(ctx.params.get("key", ""))
    return [option for option in info.accepts.options if option.startswith(typed)] if info else []
