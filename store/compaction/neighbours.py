"""Observations worth comparing: those of one kind that share rare words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from functools import cached_property

from store.compaction.history import main_path
from store.model import Layer, Observation, layer_of
from store.text.facts import Facts, facts_of, subjects_of
from store.text.normalise import meaning, normalise
from store.text.similarity import Blocks

_FIRST_PERSON = frozenset({"I", "I'm", "I've", "I'll", "I'd", "My", "my", "me", "me.", "myself"})
_SHARED = 0.3
FEW = 24
"""So many are compared with all others one by one before any are filed under their rare words."""


class Item:
    """An observation with what the rules of compaction ask of it, each read once."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    @cached_property
    def facts(self) -> Facts:
        """The facts of its content."""
        return facts_of(self.observation.content)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Subjects of an observation, read quickly (see `subjects_of`)."""
        return subjects_of(self.observation.content)

    @cached_property
    def form(self) -> str:
        """Its content in the common form, words sorted."""
        return " ".join(sorted(normalise(self.observation.content).split()))

    @cached_property
    def senses(self) -> frozenset[str]:
        """The meanings of its content words."""
        return frozenset(meaning(word) for word in self.facts.words)

    @cached_property
    def path(self) -> str:
        """The first path that it names, or nothing."""
        return main_path(self.observation.content)[0]

    @cached_property
    def kind(self) -> Hashable:
        """Only observations of one kind tell the same: compatible categories, and one speaker
        where somebody speaks of themselves.
        """
        category = self.observation.category
        group = layer_of(category) if layer_of(category) is Layer.SEMANTIC else category
        speaks = not _FIRST_PERSON.isdisjoint(self.observation.content.split())
        return group, self.observation.agent if speaks else ""


Pair = tuple[Item, Item]
"""Two observations that may belong together."""


def near_pairs(items: Sequence[Item], fresh: Container[str]) -> Iterator[Pair]:
    """The pairs of one kind that share rare words and three tenths of what the shorter is about.

    One at least of each has its id in `fresh`. A bounded number for each item, so that the pairs
    grow with the items, not with their square.
    """
    kinds: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        kinds[item.kind].append(item)
    for alike in kinds.values():
        if len(alike) > 1 and any(item.observation.id in fresh for item in alike):
            yield from _pairs_of_kind(alike, fresh)


def _pairs_of_kind(items: Sequence[Item], fresh: Container[str]) -> Iterator[Pair]:
    first_with: dict[str, Item] = {}
    old: list[tuple[int, Item]] = []
    new: list[tuple[int, Item]] = []
    for index, item in sorted(enumerate(items), key=lambda each: each[1].observation.id in fresh):
        first = first_with.setdefault(item.observation.content, item)
        if first is not item:
            yield item, first
        else:
            (new if item.observation.id in fresh else old).append((index, item))
    seeking = _seeking([item for _, item in old], [item for _, item in new])
    if not seeking:
        return
    blocks = Blocks(item.subjects for item in items)
    for index, item in (*old, *new):
        if item not in seeking:
            blocks.add(index, item.subjects)
            continue
        for candidate in blocks.meet(index, item.subjects):
            other = items[candidate]
            if _are_near(item.subjects, other.subjects):
                yield item, other


def _seeking(old: Sequence[Item], new: Sequence[Item]) -> frozenset[Item]:
    """Those of `new` worth looking for neighbours of: where these are few, those near another.

    Most are near none, and comparing a few with each is quicker than filing all that there are.
    """
    if len(new) > FEW:
        return frozenset(new)
    before = [item.subjects for item in old]
    seeking: list[Item] = []
    for item in new:
        if any(_are_near(item.subjects, other) for other in before):
            seeking.append(item)
        before.append(item.subjects)
    return frozenset(seeking)


def _are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _SHARED * min(len(one), len(other))
