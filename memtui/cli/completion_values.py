"""Values that a shell offers while an option is typed."""

from __future__ import annotations

import click


def complete_category(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """The categories memtui knows that begin so."""
    from store.model import Category

    return [str(category) for category in Category if category.startswith(typed)]


def complete_agent(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """The agents of the memory that begin so; none where there is no memory to ask.

    Only names that could be stored: a shell runs what it is offered, and files may name an agent
    `$(anything)`.
    """
    from memtui.cli.memory import find_memory
    from store import open_memory
    from store.errors import StoreError
    from store.validation.rules import AGENT_NAME

    folder = ctx.params.get("folder") or ctx.find_root().params.get("folder")
    try:
        with open_memory(find_memory(folder)) as memory:
            agents = memory.stats().by_agent
    except StoreError:
        # A shell that completes has no place for an error; the command itself will say it.
        return []
    return sorted(it for it in agents if it.startswith(typed) and AGENT_NAME.fullmatch(it))


def complete_setting(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """The settings that begin so."""
    from store.settings.schema import known_settings

    return [name for name in known_settings() if name.startswith(typed)]


def complete_setting_value(
    ctx: click.Context, _parameter: click.Parameter, typed: str
) -> list[str]:
    """The values that begin so of the setting named before, where it takes a few."""
    from store.settings.schema import known_settings

    info = known_settings().get(ctx.params.get("key", ""))
    return [option for option in info.accepts.options if option.startswith(typed)] if info else []
