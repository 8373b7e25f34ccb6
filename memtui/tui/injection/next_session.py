"""The next session as the app asks for it: what the client's hook would be told now."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.tui.frame.routes import NextOf

if TYPE_CHECKING:
    from memtui.tui.injection.request import RecallFound
    from store import Memory
    from store.agents.client import Home
    from store.recall.request import RecallRequest


_MISSING = "missing"
NOT_INSTALLED = "not installed"
"""What is said of a client that no hooks are offered for, since it is not there."""


def next_client(wanted: NextOf) -> NextOf:
    """The next session of the client after."""
    from memtui.tui.injection.request import following
    from store.agents.registry import HOOKED

    return wanted._replace(client=following(wanted.client, HOOKED))


def answer(memory: Memory, wanted: RecallRequest | NextOf, *, text_width: int = 0) -> RecallFound:
    """Work out what is wanted by what the index knows; with `text_width` its text is wrapped for so
    many cells already.

    For the next session git is asked about the folder, then memory by the same request as the
    client's hook.
    """
    from memtui.hooks.next_session import with_questions
    from memtui.tui.injection.request import RecallFound
    from memtui.tui.injection.text import wrapped

    if isinstance(wanted, NextOf):
        found = _next(memory, wanted)
    else:
        request = with_questions(memory, wanted)  # those to its agent, who may be another now
        found = RecallFound(request, memory.recall.plan(request, fresh=False))
    if text_width:
        wrapped(found.recall.text, text_width)
    return found


def _next(memory: Memory, wanted: NextOf) -> RecallFound:
    from memtui.hooks.at_hand import client_at_hand, clients_to_hook
    from memtui.hooks.next_session import next_session, starting
    from memtui.tui.injection.request import RecallFound
    from store.agents.client import Home
    from store.recall.profiles import PROFILES

    home = Home.of_user()
    client = wanted.client or client_at_hand(memory, home, wanted.folder)
    session = next_session(client, wanted.folder, os.environ)
    request = starting(memory, session)._replace(
        budget=memory.recall.budget_for(client), profile=next(iter(PROFILES))
    )
    found = memory.recall.plan(request, fresh=False)
    lacks = _unhooked(client, home, wanted.folder)
    if lacks == _MISSING and client not in clients_to_hook(memory, home, wanted.folder):
        lacks = NOT_INSTALLED
    return RecallFound(request, found, session.branch, unhooked=lacks)


def _unhooked(client: str, home: Home, folder: Path) -> str:
    """Why the session will be told nothing: the state of its hook, empty where it would run."""
    from memtui.hooks.status import RUNNING, start_hook
    from store.agents.registry import client_named
    from store.errors import StoreError

    try:
        state = start_hook(client_named(client), home, folder)
    except StoreError:
        return "unreadable"
    return "" if state in RUNNING else str(state)
