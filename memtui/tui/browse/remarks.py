"""Lines for Home about what is elsewhere: what waits in the inbox, what an agent is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType

from memtui.formatting import plural
from memtui.hooks.agent_context import read_context
from store import Memory
from store.agents.client import Home
from store.backends.user_data import project_root


def _waiting(memory: Memory, key: str) -> str:
    """Return how much waits for approval, and the key that opens it; empty for nothing."""
    number = len(memory.inbox.look().entries)
    if not number:
        return ""
    details = f" · {key} opens it" if key else ""
    return f"{plural(number, 'change waits', 'changes wait')} for approval in the inbox{details}"


def _contradictions(memory: Memory, key: str) -> str:
    """Return how much contradicts in the context of the next session, and the key that shows where;
    empty for nothing.
    """
    folder = project_root(memory.path)
    found = read_context(memory, None, folder, Home.of_user(), os.environ, fresh=False)
    number = sum(not overlap.is_repeat for overlap in found.overlaps)
    if not number:
        return ""
    details = f" · {key} shows where" if key else ""
    return f"{plural(number, 'contradiction')} in what {found.client.title} is told{details}"


REMARKS: Mapping[str, Callable[[Memory, str], str]] = MappingProxyType(
    {"app.inbox": _waiting, "app.told": _contradictions}
)
"""Lines by the binding that opens what they are about, the first of them to be shown."""
