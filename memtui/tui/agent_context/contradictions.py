"""What contradicts in the context of the next session, in a line for Home."""

from __future__ import annotations

import os

from memtui.formatting import plural
from memtui.hooks.agent_context import read_context
from store import Memory
from store.agents.client import Home
from store.backends.user_data import project_root


def contradictions_in_words(memory: Memory, key: str) -> str:
    """Return how much contradicts, and the key that shows where; empty for nothing."""
    folder = project_root(memory.path)
    found = read_context(memory, None, folder, Home.of_user(), os.environ, fresh=False)
    number = sum(not overlap.is_repeat for overlap in found.overlaps)
    if not number:
        return ""
    details = f" · {key} shows where" if key else ""
    return f"{plural(number, 'contradiction')} in what {found.client.title} is told{details}"
