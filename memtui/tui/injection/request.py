"""Requests for a recall: changed part by part, with pins and mutes that are only tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from textual.content import Content

from memtui.formatting import count, plural
from memtui.tui.injection.forecast import following
from store import Memory
from store.action import Action
from store.model import Observation
from store.operations.plan import Plan
from store.recall.profiles import PROFILES
from store.recall.request import RecallRequest
from store.recall.values import CHANNELS


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


def marks_of(request: RecallRequest) -> dict[str, Mark]:
    return {identifier: mark for mark in Mark for identifier in _marked(request, mark)}


def with_marks(request: RecallRequest, marks: Mapping[str, Mark]) -> RecallRequest:
    ids = {mark: frozenset(key for key in marks if marks[key] is mark) for mark in Mark}
    return request._replace(pinned=ids[Mark.PINNED], muted=ids[Mark.MUTED], plain=ids[Mark.PLAIN])


def with_mark(request: RecallRequest, identifier: str, mark: Mark | None) -> RecallRequest:
    """The same with another try for one memory; None leaves it to its record."""
    others = {key: tried for key, tried in marks_of(request).items() if key != identifier}
    return with_marks(request, others if mark is None else {**others, identifier: mark})


def toggled(request: RecallRequest, observation: Observation, mark: Mark) -> RecallRequest:
    """The same with a memory marked so, or unmarked where it is."""
    own = Mark.of(observation)
    now = marks_of(request).get(observation.id, own)
    wanted = Mark.PLAIN if now is mark else mark
    return with_mark(request, observation.id, None if wanted is own else wanted)


def cycled(request: RecallRequest, observation: Observation) -> RecallRequest:
    """The same with the next mark for a memory; what its record says comes last."""
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
    """A plan that writes what is tried into the records. Raises `NotFound`."""
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
    marked = {
        Mark.PINNED: request.pinned,
        Mark.MUTED: request.muted,
        Mark.PLAIN: request.plain,
    }
    return sorted(marked[mark])


_BUDGETS = (
    *(0, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000),
    *(20_000, 30_000, 40_000, 60_000, 80_000, 120_000, 160_000, 200_000),
)


def with_next_profile(request: RecallRequest) -> RecallRequest:
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
