"""Pins come first, as far as they leave room for what the task needs."""

from __future__ import annotations

from collections.abc import Sequence

from store.recall.request import RecallRequest
from store.recall.values import Ranked

_PINS_SHARE = 0.4
"""The part of the room that pins take before everything else; the pins beyond it keep their rank.
The sample's nine pins take 971 tokens: of 1,000 nothing was left for the task."""


def pins_first(
    ranked: Sequence[Ranked], request: RecallRequest, room: int
) -> tuple[list[Ranked], frozenset[str], frozenset[str]]:
    """The ranked with the best pins before them, as many as have their share of a room in
    characters; the ids of all pins, and of these.
    """
    pinned = frozenset(it.observation.id for it in ranked if request.is_pinned(it.observation))
    left = room * _PINS_SHARE
    first: list[Ranked] = []
    for it in ranked:
        size = len(it.observation.content)
        if it.observation.id in pinned and size <= left:
            left -= size
            first.append(it)
    leading = frozenset(it.observation.id for it in first)
    others = (it for it in ranked if it.observation.id not in leading)
    return [*first, *others], pinned, leading
