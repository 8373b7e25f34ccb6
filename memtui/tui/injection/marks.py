"""Pins and mutes that are tried with a recall before they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from store import Memory
from store.action import Action
from store.model import Observation
from store.operations.plan import Plan
from store.recall.request import RecallRequest

UNMARKED = "○"
"""What a candidate shows that is tried without the pin or mute of its record."""


class Mark(StrEnum):
    """Marks to try with a memory, in place of what its record has."""

    PINNED = "pinned"
    MUTED = "muted"
    PLAIN = "plain"

    @classmethod
    def of(cls, observation: Observation) -> Mark:
        return cls.PINNED if observation.pinned else cls.MUTED if observation.muted else cls.PLAIN


SIGNS: Mapping[Mark, str] = {Mark.PINNED: "▲", Mark.MUTED: "∅", Mark.PLAIN: " "}
LEGEND = f"✓ in · {SIGNS[Mark.PINNED]} pinned · {SIGNS[Mark.MUTED]} muted · {UNMARKED} unmarked"
"""The meaning of the signs before a candidate."""


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
    """Return the same with the next mark for a memory; what its record has comes last."""
    order = [None, *(mark for mark in Mark if mark is not Mark.of(observation))]
    at = order.index(marks_of(request).get(observation.id))
    return with_mark(request, observation.id, order[(at + 1) % len(order)])


def without_saved(request: RecallRequest, saved: RecallRequest) -> RecallRequest:
    done = marks_of(saved)
    left = {key: mark for key, mark in marks_of(request).items() if done.get(key) is not mark}
    return with_marks(request, left)


def plan_marks(memory: Memory, request: RecallRequest) -> Plan:
    """Return a plan that writes what is tried into the records. Raises `NotFound`."""
    plans = {
        mark: memory.plan.edit(ids, {"pinned": mark is Mark.PINNED, "muted": mark is Mark.MUTED})
        for mark in Mark
        if (ids := _marked(request, mark))
    }
    return Plan(
        Action("mark", {_FIGURES[mark]: len(_marked(request, mark)) for mark in plans}),
        tuple(change for plan in plans.values() for change in plan.changes),
        tuple(note for plan in plans.values() for note in plan.notes),
    )


_FIGURES = {Mark.PINNED: "pinned", Mark.MUTED: "muted", Mark.PLAIN: "unmarked"}


def _marked(request: RecallRequest, mark: Mark) -> list[str]:
    return sorted(getattr(request, mark))  # its fields are called like the marks
