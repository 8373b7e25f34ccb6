"""All that a client has in its context at a session's start here, recalled memories among it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memtui.hooks.next_session import next_session, request_at_start
from memtui.hooks.status import client_at_hand, has_running_hook
from store import Memory
from store.agent_context.service import AgentContext
from store.agents.client import Home
from store.agents.registry import HOOKED, client_named
from store.backends.user_data import project_root
from store.recall.values import Recall


def read_context(
    memory: Memory,
    name: str | None,
    folder: Path,
    home: Home,
    environ: Mapping[str, str],
    *,
    fresh: bool = True,
) -> AgentContext:
    """Read what a client, by default the one at hand, has in the context of a session in a folder.

    Raises `InvalidObservation` for an unknown client.
    """
    client = client_named(name or client_at_hand(memory, home, project_root(memory.path)))
    recall, is_hooked = Recall(), False
    if client.name in HOOKED:
        request = request_at_start(memory, next_session(client.name, folder, environ))
        recall = memory.recall.plan(request._replace(told_only=True), fresh=fresh)
        is_hooked = has_running_hook(client.name, home, project_root(memory.path))
    return memory.context.read(client, folder, home, recall, is_hooked=is_hooked)
