"""Requests for a recall, changed part by part; what is lost with one, and why one finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.content import Content

from memtui.formatting import count, plural
from memtui.tui.injection.marks import marks_of, with_marks
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import CHANNELS

_BUDGETS = (
    *(0, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000),
    *(20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 200_000),
)


def are_ranked_alike(one: RecallRequest, other: RecallRequest) -> bool:
    """True if two requests ask for the same but for what is tried, and the budget."""
    return with_marks(one, {}) == with_marks(other._replace(budget=one.budget), {})


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
    """Return the same with the next larger budget in tokens, or with -1 the next smaller: a round
    figure, or the channel's `usual` one.
    """
    budget = request.budget or 0
    known = sorted({*_BUDGETS, usual(request.channel)})
    if step > 0:
        budget = next((figure for figure in known if figure > budget), budget)
    else:
        budget = next((figure for figure in reversed(known) if figure < budget), 0)
    return request._replace(budget=budget)


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


def following(value: str, values: Iterable[str]) -> str:
    """Return the one after `value`, the first after the last."""
    known = list(values)
    return known[(known.index(value) + 1) % len(known)] if value in known else known[0]
