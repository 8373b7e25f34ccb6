"""`memtui budget`: what fills an agent's context, and memory's part in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from memtui.cli.memory import dir_option, json_option, opened
from memtui.cli.output import say, say_json
from memtui.cli.request_options import Asked, request_options
from store.places import Location
from store.text import visible

if TYPE_CHECKING:
    from store.values import ContextItem

_EPILOG = """\b
Examples:
  memtui budget --agent engineer --issue 29
  memtui budget --channel codex --json
"""


@click.command(epilog=_EPILOG)
@request_options
@json_option
@dir_option
def budget_command(as_json: bool, folder: Location | None, **asked: Unpack[Asked]) -> None:
    """Show what fills a session's context: instructions, agents, skills, memories.

    Counts the files that agents load by themselves from the project and your home. The limit is
    the `context_limit` setting.
    """
    from store.places import project_root
    from store.values import budget_report, memory_items

    with opened(folder) as memory:
        recall = memory.recall.plan(**asked)
        root = project_root(memory.path)
        limit = memory.settings.context_limit
    others = _loaded(root, recall.channel)
    if not as_json:
        say(visible(budget_report(recall, limit, others)).rstrip("\n"))
        return
    items = [*others, *memory_items(recall)]
    total = sum(item.tokens for item in items)
    say_json(
        {
            "totalTokens": total,
            "contextLimit": limit,
            "memoryTokens": recall.tokens,
            "memoryBudget": recall.limits.tokens,
            "items": [
                {"category": item.category, "name": item.name, "tokens": item.tokens}
                for item in items
            ],
        }
    )


def _loaded(root: Path, channel: str) -> list[ContextItem]:
    """The files that the channel's client loads by itself; those of all clients for none."""
    from store.agents import NAMES, Home, client_named, clients, loaded_files
    from store.text import counter_for
    from store.values import ContextItem, family_of

    asked = [client_named(channel)] if channel in NAMES else list(clients())
    counter = counter_for(family_of(channel))
    return [
        ContextItem(file.category, file.name, counter.count(file.text))
        for file in loaded_files(asked, root, Home.of_user())
    ]
