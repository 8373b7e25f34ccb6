"""What a shell offers for the values of options.

Every command loads this, and hardly any is completed: each function imports what it asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

import store
from memtui.cli.memory import find_memory
from store.errors import StoreError
from store.model import Category
from store.settings.schema import known_settings
from store.text.display import visible_line

T = TypeVar("T")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
"""An id that a shell takes as it is."""
_NEWEST = 500
"""Memories whose ids are offered."""


def complete_category(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    return [str(category) for category in Category if category.startswith(typed)]


def complete_agent(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """Return the agents of the memory that begin so; none where there is no memory to ask.

    Only names that could be stored: a shell runs what it is offered, and files may name an agent
    `$(anything)`.
    """
    from store.validation.rules import AGENT_NAME

    agents = _asked(ctx, lambda memory: memory.stats().by_agent)
    return sorted(
        agent for agent in agents if agent.startswith(typed) and AGENT_NAME.fullmatch(agent)
    )


def complete_id(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the ids of memories that begin so, newest first, each with its summary; as lists show
    them, or whole where the beginning of a whole one is typed.
    """
    return _ids(ctx, parameter, typed, "sort:newest")


def complete_archived_id(
    ctx: click.Context, parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Return the ids of archived memories that begin so, as `complete_id` does."""
    return _ids(ctx, parameter, typed, "is:archived sort:newest")


def _ids(
    ctx: click.Context, parameter: click.Parameter, typed: str, query: str
) -> list[CompletionItem]:
    from memtui.cli.rows import short_id

    found = _asked(ctx, lambda memory: memory.search(query, _NEWEST, facets=()).hits)
    given = ctx.params.get(parameter.name or "") or ()
    shown = {
        name: hit.entry.summary
        for hit in found
        for name in (short_id(hit.entry.id), hit.entry.id if typed else "")
        if _PLAIN.fullmatch(name) and name.startswith(typed) and name not in given
    }
    return [CompletionItem(name, help=visible_line(text)) for name, text in shown.items()]


def complete_operation(
    ctx: click.Context, _parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Return the ends of the ids of operations that begin so, newest first, each with its title."""
    from memtui.words.sentences import title

    return [
        CompletionItem(item.id[-4:], help=title(item.action))
        for item in _asked(ctx, lambda memory: memory.history.operations())
        if item.id[-4:].startswith(typed)
    ]


def _asked(ctx: click.Context, ask: Callable[[Any], Iterable[T]]) -> Iterable[T]:
    """Return what a `Memory` answers; nothing where there is none to ask."""
    # A shell that completes has no place for an error; the command itself will report it.
    with suppress(StoreError), ctx.scope(), store.open_memory(find_memory()) as memory:
        return ask(memory)
    return ()


def complete_setting(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    return [name for name in known_settings() if name.startswith(typed)]


def complete_setting_value(
    ctx: click.Context, _parameter: click.Parameter, typed: str
) -> list[str]:
    """Return the values that begin so of the setting named before, where it takes a few."""
    info = known_settings().get(ctx.params.get("key", ""))
    return [option for option in info.accepts.options if option.startswith(typed)] if info else []
