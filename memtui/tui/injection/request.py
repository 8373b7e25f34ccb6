"""Recalls asked from the app: the request, the worker's question, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from textual.content import Content

from memtui.formatting import count, plural
from memtui.tui.injection.marks import marks_of
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import CHANNELS, Recall
from store.text.display import visible

_BUDGETS = (
    *(0, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000),
    *(20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 200_000),
)


def title_of(request: RecallRequest) -> str:
    """Whose recall it is, as far as that is asked for: `#29 engineer`."""
    issue = "" if request.issue is None else f"#{request.issue}"
    return visible(f"{issue} {request.agent or ''}".strip(), newlines=False)


def with_next_profile(request: RecallRequest) -> RecallRequest:
    """The same by the profile that follows."""
    return request._replace(profile=following(request.profile or "", PROFILES))


def with_next_channel(request: RecallRequest, usual: Callable[[str], int]) -> RecallRequest:
    """The same for the channel that follows; of a client's own session, that client's.

    A budget that is the channel's `usual` one becomes that of the channel that follows.
    """
    channel = following(request.channel, CHANNELS)
    client = request.client and channel
    agent = client if request.agent == request.client and client else request.agent
    budget = usual(channel) if request.budget == usual(request.channel) else request.budget
    return request._replace(channel=channel, client=client, agent=agent, budget=budget)


def with_budget(request: RecallRequest, step: int, usual: Callable[[str], int]) -> RecallRequest:
    """The same with the next larger budget, or with -1 the next smaller; the channel's `usual` one
    is among them.
    """
    budget = next_budget(request.budget or 0, step, usual(request.channel))
    return request._replace(budget=budget)


class RecallFound(NamedTuple):
    """What a request comes to. `branch` is that of the next session, where its recall was asked
    for; `unhooked` is the state of the hook that should tell it, where it would not run.
    """

    request: RecallRequest
    recall: Recall
    branch: str = ""
    unhooked: str = ""


def following(value: str, values: Iterable[str]) -> str:
    """The one after `value`, the first after the last."""
    known = list(values)
    return known[(known.index(value) + 1) % len(known)] if value in known else known[0]


def next_budget(budget: int, step: int, usual: int) -> int:
    """The next budget above or below, in tokens, of round figures and the settings' own."""
    known = sorted({*_BUDGETS, usual})
    if step > 0:
        return next((figure for figure in known if figure > budget), budget)
    return next((figure for figure in reversed(known) if figure < budget), 0)


def what_is_lost(
    first: RecallRequest | None, now: RecallRequest, usual: Callable[[str], int]
) -> Content | None:
    """What leaving the preview would throw away: marks that are tried, a budget that is neither
    the first one nor the channel's `usual` one.
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
    """Why a request comes to nothing, and what to do about it by the keys that work now."""
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


@dataclass(frozen=True, slots=True)
class Difference:
    """What one recall holds that another does not, by id, in the order of its rank."""

    enters: tuple[str, ...]
    leaves: tuple[str, ...]


def difference(before: Recall, after: Recall) -> Difference:
    """Which observations would come in, and which would go."""
    was = [it.observation.id for it in before.included]
    will = [it.observation.id for it in after.included]
    return Difference(
        tuple(it for it in will if it not in set(was)),
        tuple(it for it in was if it not in set(will)),
    )
