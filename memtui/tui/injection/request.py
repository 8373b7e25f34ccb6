"""Requests for a recall: their forecast, changed part by part, with marks that are only tried."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from textual.content import Content

from memtui.formatting import count, plural
from memtui.hooks.next_session import next_session, request_at_start, with_questions
from memtui.hooks.status import RUNNING, client_at_hand, clients_to_hook, start_hook
from memtui.tui.frame.routes import NextOf
from memtui.tui.widgets.gauge import PACKAGING, Forecast, Level
from memtui.words.sentences import injected_in_words
from store import Memory
from store.action import Action
from store.agents.client import Home
from store.agents.registry import HOOKED, client_named
from store.errors import StoreError
from store.model import Observation
from store.operations.plan import Plan
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import CHANNELS, Recall, limits_of
from store.text.display import visible


class Mark(StrEnum):
    """Marks to try with a memory, in place of what its record says."""

    PINNED = "pinned"
    MUTED = "muted"
    PLAIN = "plain"

    @classmethod
    def of(cls, observation: Observation) -> Mark:
        return cls.PINNED if observation.pinned else cls.MUTED if observation.muted else cls.PLAIN


SIGNS: Mapping[Mark, str] = {Mark.PINNED: "▲", Mark.MUTED: "∅", Mark.PLAIN: " "}
UNMARKED = "○"
"""What a candidate shows that is tried without the pin or mute of its record."""
LEGEND = f"✓ in · {SIGNS[Mark.PINNED]} pinned · {SIGNS[Mark.MUTED]} muted · {UNMARKED} unmarked"
"""What the signs before a candidate say."""


def marks_of(request: RecallRequest) -> dict[str, Mark]:
    return {identifier: mark for mark in Mark for identifier in _marked(request, mark)}


def with_marks(request: RecallRequest, marks: Mapping[str, Mark]) -> RecallRequest:
    ids = {mark: frozenset(key for key in marks if marks[key] is mark) for mark in Mark}
    return request._replace(pinned=ids[Mark.PINNED], muted=ids[Mark.MUTED], plain=ids[Mark.PLAIN])


def with_mark(request: RecallRequest, identifier: str, mark: Mark | None) -> RecallRequest:
    """Return the same with another try for one memory; None leaves it to its record."""
    others = {key: tried for key, tried in marks_of(request).items() if key != identifier}
    return with_marks(request, others if mark is None else {**others, identifier: mark})


def toggled(request: RecallRequest, observation: Observation, mark: Mark) -> RecallRequest:
    """Return the same with a memory marked so, or unmarked where it is."""
    own = Mark.of(observation)
    now = marks_of(request).get(observation.id, own)
    wanted = Mark.PLAIN if now is mark else mark
    return with_mark(request, observation.id, None if wanted is own else wanted)


def cycled(request: RecallRequest, observation: Observation) -> RecallRequest:
    """Return the same with the next mark for a memory; what its record says comes last."""
    order = [None, *(mark for mark in Mark if mark is not Mark.of(observation))]
    at = order.index(marks_of(request).get(observation.id))
    return with_mark(request, observation.id, order[(at + 1) % len(order)])


def without_saved(request: RecallRequest, saved: RecallRequest) -> RecallRequest:
    done = marks_of(saved)
    left = {key: mark for key, mark in marks_of(request).items() if done.get(key) is not mark}
    return with_marks(request, left)


def are_ranked_alike(one: RecallRequest, other: RecallRequest) -> bool:
    """True if two requests ask for the same but for what is tried, and the budget."""
    return with_marks(one, {}) == with_marks(other._replace(budget=one.budget), {})


def plan_marks(memory: Memory, request: RecallRequest) -> Plan:
    """Return a plan that writes what is tried into the records. Raises `NotFound`."""
    plans = [
        memory.plan.edit(
            _marked(request, mark), {"pinned": mark is Mark.PINNED, "muted": mark is Mark.MUTED}
        )
        for mark in Mark
        if _marked(request, mark)
    ]
    figures = {name: len(_marked(request, mark)) for mark, name in _FIGURES.items()}
    return Plan(
        Action("mark", {name: number for name, number in figures.items() if number}),
        tuple(change for plan in plans for change in plan.changes),
        tuple(note for plan in plans for note in plan.notes),
    )


_FIGURES = {Mark.PINNED: "pinned", Mark.MUTED: "muted", Mark.PLAIN: "unmarked"}


def _marked(request: RecallRequest, mark: Mark) -> list[str]:
    return sorted(getattr(request, mark))  # its fields are called like the marks


_BUDGETS = (
    *(0, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000),
    *(20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 200_000),
)


def with_next_profile(request: RecallRequest) -> RecallRequest:
    return request._replace(profile=following(request.profile or "", PROFILES))


def with_next_channel(request: RecallRequest, usual: Callable[[str], int]) -> RecallRequest:
    """Return the same for the channel that follows; of a client's own session, that client's.

    A budget that is the channel's `usual` one becomes that of the channel that follows.
    """
    channel = following(request.channel, CHANNELS)
    client = request.client and channel
    agent = client if request.agent == request.client and client else request.agent
    budget = usual(channel) if request.budget == usual(request.channel) else request.budget
    return request._replace(channel=channel, client=client, agent=agent, budget=budget)


def with_budget(request: RecallRequest, step: int, usual: Callable[[str], int]) -> RecallRequest:
    """Return the same with the next larger budget, or with -1 the next smaller; the channel's
    `usual` one is among them.
    """
    budget = next_budget(request.budget or 0, step, usual(request.channel))
    return request._replace(budget=budget)


def next_budget(budget: int, step: int, usual: int) -> int:
    """Return the next budget above or below, in tokens, of round figures and the settings' own."""
    known = sorted({*_BUDGETS, usual})
    if step > 0:
        return next((figure for figure in known if figure > budget), budget)
    return next((figure for figure in reversed(known) if figure < budget), 0)


def what_is_lost(
    first: RecallRequest | None, now: RecallRequest, usual: Callable[[str], int]
) -> Content | None:
    """Return what leaving the preview would throw away: marks that are tried, a budget that is
    neither the first one nor the channel's `usual` one.
    """
    tried = len(marks_of(now))
    lost = [plural(tried, "pin or mute", "pins and mutes")] if tried else []
    if first is not None and now.budget not in (first.budget, usual(now.channel)):
        lost.append(f"the budget of {count(now.budget or 0)} tokens")
    if not lost:
        return None
    return Content.assemble(
        "Discard ",
        (" and ".join(lost), "bold"),
        "? ",
        ("Not saved yet.", "$dim"),
    )


def why_nothing(
    request: RecallRequest, key_of: Callable[[str], str], *, enabled: bool, remembers: bool
) -> tuple[str, str]:
    """Reason why a request comes to nothing, and what to do about it by the keys that work now."""
    if not remembers:
        return (
            "No memories yet, so there is nothing to inject.",
            "Capture an agent's session, or write one:  memtui add",
        )
    if not enabled:
        return (
            "Memory is switched off: nothing is injected.",
            "Set enabled = true in the settings to switch it on.",
        )
    if not request.budget:
        raises = key_of("injection.more")
        return "With a budget of 0 nothing is injected.", f"{raises} raises it." if raises else ""
    issue = "" if request.issue is None else f" and #{request.issue}"
    keys = {what: key_of(f"injection.{what}") for what in ("agent", "issue", "profile")}
    others = ", ".join(f"{key} another {what}" for what, key in keys.items() if key)
    return (
        f"Nothing to inject for {request.agent or 'any agent'}{issue}.",
        f"{others}.".replace(" another", " picks another", 1) if others else "",
    )


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


def following(value: str, values: Iterable[str]) -> str:
    """Return the one after `value`, the first after the last."""
    known = list(values)
    return known[(known.index(value) + 1) % len(known)] if value in known else known[0]


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
    return visible(f"{issue} {request.agent or ''}".strip(), newlines=False)


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


def _parts(recall: Recall, used: int) -> dict[str, int]:
    tokens = dict(recall.tokens_by_category)
    if (rest := recall.tokens - sum(tokens.values())) > 0:
        tokens[PACKAGING] = rest
    total = max(1, sum(tokens.values()))
    ends = [used * end // total for end in accumulate(tokens.values(), initial=0)]
    return {name: end - begin for name, (begin, end) in zip(tokens, pairwise(ends), strict=True)}
