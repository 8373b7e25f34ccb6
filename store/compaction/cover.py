"""Which memory may go because another one has all of it, or has taken its place.

Memories are compared statement by statement: one covers another if each statement of the other is
restated or superseded by one of its own. So what stays is always the whole text of one memory, and
no fact is lost but those that a later one replaced.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from store.compaction.model import Reason
from store.model import SESSION_MARK, Category, Layer, Observation, layer_of
from store.text.facts import (
    WORDS_KEPT,
    Facts,
    facts_of,
    has_fact,
    statements,
    subjects_of,
    word_share,
)
from store.text.roots import root
from store.text.similarity import Blocks, is_reordered

_FIRST_PERSON = frozenset({"I", "I'm", "I've", "I'll", "I'd", "My", "my", "me", "me.", "myself"})
_NEAR = 0.3
"""The share of the shorter one's subjects that two memories worth comparing have in common."""
_CHANGE_WORDS = frozenset(
    {"now", "longer", "anymore", "instead", "formerly", "previously", "obsolete"}
    | {"replace", "replaces", "replaced", "replacing", "supersede", "supersedes", "superseded"}
    | {"deprecated", "reverted", "switched", "rather"}
)
_MARKS_REPLACED = 2
_FEW_WORDS = 4
_CODE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"[a-z][a-z ]{0,40}: `[^`]+`(?: in `[^`]+`)?")


class Statement(NamedTuple):
    text: str
    facts: Facts


class Item:
    """An observation with what compaction asks of it, each read once."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self.content = observation.content

    @cached_property
    def commands(self) -> tuple[str, ...]:
        """The commands of a procedure that capture wrote; none where it has other text, too."""
        commands = _COMMAND.findall(self.content)
        is_procedure = self.observation.category == Category.PROCEDURE
        is_all = "; ".join(commands) == self.content.partition(": ")[2]
        return tuple(commands) if is_procedure and is_all else ()

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        texts = self.commands or statements(self.content)
        return tuple(Statement(text, facts_of(text)) for text in texts)

    @cached_property
    def subjects(self) -> frozenset[str]:
        return subjects_of(self.content)

    @cached_property
    def kind(self) -> Hashable:
        """Only observations of one kind are compared: compatible categories, and one speaker
        where somebody speaks of themselves.
        """
        category = self.observation.category
        layer = layer_of(category)
        is_personal = not _FIRST_PERSON.isdisjoint(self.content.split())
        return (
            layer if layer is Layer.SEMANTIC else category,
            self.observation.agent if is_personal else "",
        )

    @property
    def is_merged(self) -> bool:
        return any(not source.startswith(SESSION_MARK) for source in self.observation.sources)

    @property
    def is_lasting(self) -> bool:
        """Whether it claims to be true still (decisions, facts, procedures); events stay true."""
        return layer_of(self.observation.category) in (Layer.SEMANTIC, Layer.PROCEDURAL)


def near_pairs(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Yield the pairs of one kind that share rare words and three tenths of what the shorter is
    about.

    A bounded number for each item, so that the pairs grow with the items, not with their square.
    """
    kinds: dict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        kinds[item.kind].append(item)
    for alike in kinds.values():
        first_with: dict[str, Item] = {}
        blocks = Blocks(item.subjects for item in alike)
        for index, item in enumerate(alike):
            first = first_with.setdefault(item.content, item)
            if first is not item:
                yield item, first
                continue
            for other in map(alike.__getitem__, blocks.meet(index, item.subjects)):
                shorter = min(len(item.subjects), len(other.subjects))
                if len(item.subjects & other.subjects) >= _NEAR * shorter:
                    yield item, other


def named_pairs(items: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Yield each procedure with those that it names as its sources: capture names in a procedure
    those whose commands it gives again.
    """
    procedures = {
        item.observation.id: item
        for item in items
        if item.observation.category == Category.PROCEDURE
    }
    for item in procedures.values():
        for source in item.observation.sources:
            if source in procedures and procedures[source] is not item:
                yield item, procedures[source]


def covers(base: Item, other: Item) -> Reason | None:
    """Return why nothing is lost if `other` goes and `base` stays; None where something would be.

    What was merged before has lost words already, so that all that it has left must be in `base`.
    """
    if base.content == other.content:
        return Reason.DUPLICATE
    if bool(base.commands) != bool(other.commands) or not other.statements:
        return None
    share = 1.0 if other.is_merged else WORDS_KEPT
    is_later = base.observation.timestamp > other.observation.timestamp
    is_named = other.observation.id in base.observation.sources
    reason = Reason.DUPLICATE
    for statement in other.statements:
        if restatement(base, statement, share):
            continue
        if other.commands:
            is_replaced = is_named and any(is_wider(one, statement.text) for one in base.commands)
        else:
            is_replaced = (is_later and base.is_lasting) and any(
                is_replacement_of(held.facts, statement.facts) for held in base.statements
            )
        if not is_replaced:
            return None
        reason = Reason.SUPERSEDED
    return reason


def restatement(base: Item, other: Statement, share: float = WORDS_KEPT) -> Statement | None:
    """Return the statement of `base` that has all of `other`; a command only by itself."""
    for held in base.statements:
        if held.text == other.text or (not base.commands and has_facts_of(held, other, share)):
            return held
    return None


def has_facts_of(held: Statement, other: Statement, share: float) -> bool:
    """Return whether `held` has all facts of `other`, and at least `share` of its words.

    Of a statement of few words each counts, so that only one in the same words restates it.
    """
    facts, asked = held.facts, other.facts
    return (
        facts.contrasts == asked.contrasts
        and has_fact(facts, asked)
        and word_share(facts, asked) >= share
        and (len(asked.words) >= _FEW_WORDS or bool(asked.marks) or facts.words == asked.words)
        and all(code in held.text for code in _CODE.findall(other.text))
        and not is_reordered(held.text, other.text)
    )


def is_replacement_of(newer: Facts, older: Facts) -> bool:
    """Return whether a later statement takes the place of an earlier one.

    It must name a change (`now`, `instead` …), replace one or two marks of the earlier
    one, and speak of the same thing: at least 80% of its other words.
    """
    replaced = older.marks - newer.spoken
    subject = older.words - {"not"} - {root(mark) for mark in replaced}
    return (
        not newer.spoken.isdisjoint(_CHANGE_WORDS)
        and 0 < len(replaced) <= _MARKS_REPLACED
        and len(subject) > 1
        and len(subject & newer.words) >= WORDS_KEPT * len(subject)
    )


def is_wider(command: str, older: str) -> bool:
    """Return whether a command is an older one, or that with more options."""
    words, before = command.replace("`", " ` ").split(), older.replace("`", " ` ").split()
    more = [word for word in words if word.startswith("-") and word not in before]
    return [word for word in words if word not in more] == before
