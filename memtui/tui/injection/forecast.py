"""What a request comes to: its recall, and how far that fills the limits of its channel."""

from __future__ import annotations

import os
from collections import Counter
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from memtui.hooks.next_session import next_session, request_at_start, with_questions
from memtui.hooks.status import RUNNING, client_at_hand, clients_to_hook, start_hook
from memtui.tui.frame.routes import NextOf
from memtui.tui.frame.theme import LEVEL_MARKS
from memtui.tui.injection.request import following
from memtui.tui.widgets.gauge import PACKAGING, Forecast, Level, Part
from memtui.words.recall import injected_in_words
from store import Memory
from store.agents.client import Home
from store.agents.registry import HOOKED, client_named
from store.errors import StoreError
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import Recall, limits_of
from store.text.display import visible_line

_MISSING = "missing"
NOT_INSTALLED = "not installed"
"""The state of a client that no hooks are offered for, since it is not there."""
_UNLIMITED = 1 << 60


class RecallFound(NamedTuple):
    """What a request comes to. `branch` is that of the next session, where its recall was asked
    for; `unhooked` is the state of the hook that should inject it, where it would not run.
    """

    request: RecallRequest
    recall: Recall
    branch: str = ""
    unhooked: str = ""


def next_client(wanted: NextOf) -> NextOf:
    return wanted._replace(client=following(wanted.client, HOOKED))


def answer(memory: Memory, wanted: RecallRequest | NextOf) -> RecallFound:
    """Work out what is wanted by what the index knows.

    For the next session git is asked about the folder, then memory by the same request as the
    client's hook.
    """
    if isinstance(wanted, NextOf):
        return _next(memory, wanted)
    request = with_questions(memory, wanted)  # those to its agent, who may be another now
    return RecallFound(request, memory.recall.plan(request, fresh=False))


def _next(memory: Memory, wanted: NextOf) -> RecallFound:
    home = Home.of_user()
    client = wanted.client or client_at_hand(memory, home, wanted.folder)
    session = next_session(client, wanted.folder, os.environ)
    request = request_at_start(memory, session)._replace(
        budget=memory.recall.budget_for(client), profile=next(iter(PROFILES))
    )
    found = memory.recall.plan(request, fresh=False)
    unhooked = _unhooked(client, home, wanted.folder)
    if unhooked == _MISSING and client not in clients_to_hook(memory, home, wanted.folder):
        unhooked = NOT_INSTALLED
    return RecallFound(request, found, session.branch, unhooked)


def _unhooked(client: str, home: Home, folder: Path) -> str:
    """Return the state of the hook that would not run; empty where it would."""
    try:
        state = start_hook(client_named(client), home, folder)
    except StoreError:
        return "unreadable"
    return "" if state in RUNNING else str(state)


def title_of(request: RecallRequest) -> str:
    issue = "" if request.issue is None else f"#{request.issue}"
    return visible_line(f"{issue} {request.agent or ''}".strip())


def forecast_of(found: RecallFound, setup_key: str = "") -> Forecast:
    """Forecast for the gauge; `setup_key` opens the screen that installs hooks."""
    recall, client = found.recall, found.request.client
    return Forecast(
        levels(recall),
        "Next session" if client else f"Budget {title_of(found.request)}".rstrip(),
        included=injected_in_words(recall.counts),
        numbers=recall.count_by_category,
        left_out=recall.left_out,
        client=client_named(client).title if client else "",
        branch=found.branch,
        missing=_missing_hooks(found.unhooked, setup_key),
    )


def _missing_hooks(state: str, setup_key: str) -> str:
    if state in {"", NOT_INSTALLED}:
        return state
    does = "adds" if state == _MISSING else "shows why"
    return f"hooks {state}{f', {setup_key} {does}' if setup_key else ''}"


def levels(recall: Recall) -> list[Level]:
    """Return the budget, and the channel's limits where it has some. Each has the same categories,
    in proportion to how far it is used itself.
    """
    channel, name = limits_of(recall.channel, _UNLIMITED), str(recall.channel)
    found = [Level(_parts(recall, recall.tokens), recall.budget)]
    if channel.tokens < _UNLIMITED:
        found.append(Level(_parts(recall, recall.tokens), channel.tokens, whose=name))
    if channel.length is not None:
        parts = _parts(recall, channel.measure(recall.text))
        found.append(Level(parts, channel.length, channel.unit, name))
    most = max(level.share for level in found)
    return [
        level._replace(
            binds=len(found) > 1 and level.share == most > 0,
            is_full=bool(recall.left_out) and level.share == most,
        )
        for level in found
    ]


def _parts(recall: Recall, used: int) -> list[Part]:
    tokens = Counter[tuple[str, str]]()
    for candidate in recall.included:
        level = candidate.stored.level
        tokens[candidate.stored.category, level if level in LEVEL_MARKS else ""] += candidate.tokens
    tokens[PACKAGING, ""] = max(0, recall.tokens - tokens.total())
    ends = [used * end // max(1, tokens.total()) for end in accumulate(tokens.values(), initial=0)]
    return [
        Part(category, end - begin, level)
        for (category, level), (begin, end) in zip(tokens, pairwise(ends), strict=True)
        if end > begin
    ]
