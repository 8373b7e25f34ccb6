"""Repetitions in a session's context, and contradictions: sentence by sentence. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from store.agents.context_files import ContextPart
from store.recall.overlaps import SAME_SUBJECT, alike, conflict_of, is_repeated
from store.recall.reasons import Verdict
from store.recall.values import Recall
from store.text.facts import facts_of
from store.text.markdown import passages
from store.text.similarity import Blocks

RECALL = "recall"
"""The category of the part that memtui adds."""
_MOST = 3_000
"""Sentences that are compared."""
_LEAST_WORDS = 2
"""Words and marks that a sentence has at least: "See below." repeats nothing."""

_EMPHASIS = frozenset({"always", "must", "please"})
"""Words without which an order is the same."""
_OPPOSING = frozenset(
    "not before after off enable disable increase decrease raise lower true false allow deny forbid"
    " maximum minimum".split()
)
"""The words of `CONTRASTS` that turn an order round; others only name another thing."""


class Sentence(NamedTuple):
    """A sentence of a part: the part's place among all, the lines of its source, from 1, and the
    id of the memory that has it, where one does.
    """

    part: int
    line: int
    end: int
    text: str
    memory: str = ""


class Overlap(NamedTuple):
    """Two sentences of a context that repeat each other, or can't both hold: the verdict."""

    earlier: Sentence
    later: Sentence
    verdict: Verdict

    @property
    def is_repeat(self) -> bool:
        return self.verdict is Verdict.REPEATED


def overlaps_of(parts: Sequence[ContextPart], recall: Recall) -> tuple[Overlap, ...]:
    """Find the sentences of a context that repeat or contradict others, in the context's order."""
    found = [
        sentence
        for sentence in islice(_sentences(parts, recall), _MOST)
        if len(facts_of(_plain(sentence.text)).bag) >= _LEAST_WORDS
    ]
    texts = [_plain(sentence.text) for sentence in found]
    bags = [facts_of(text).bag for text in texts]
    blocks = Blocks(bags)
    overlaps: list[Overlap] = []
    for at, later in enumerate(found):
        for near in sorted(blocks.meet(at, bags[at])):
            if _is_repeated(texts[near], texts[at]):
                overlaps.append(Overlap(found[near], later, Verdict.REPEATED))
                break  # of three that are the same, the third repeats the first
            is_elsewhere = found[near].part != later.part
            if is_elsewhere and (conflict := _conflict(texts[near], texts[at])) is not None:
                overlaps.append(Overlap(found[near], later, conflict))
    return tuple(overlaps)


def _sentences(parts: Sequence[ContextPart], recall: Recall) -> Iterator[Sentence]:
    for at, part in enumerate(parts):
        if part.category == RECALL:
            yield from _recalled(at, part, recall) if part.text else ()
            continue
        for text, line, end, _ in passages(part.text):
            yield Sentence(at, part.line + line - 1, part.line + end - 1, text)


def _recalled(at: int, part: ContextPart, recall: Recall) -> Iterator[Sentence]:
    """Yield the sentences of recalled memories, at their lines in the text."""
    for candidate in recall.included:
        before = part.text.partition(candidate.text)[0].count("\n")
        for text, line, end, _ in passages(candidate.text) if candidate.is_memory else ():
            yield Sentence(at, before + line, before + end, text, candidate.id)


def _is_repeated(one: str, other: str) -> bool:
    return is_repeated(one, other) or is_repeated(other, one)


def _conflict(one: str, other: str) -> Verdict | None:
    """Return how two sentences of much the same words contradict each other."""
    first, second = facts_of(one), facts_of(other)
    if alike(first.words, second.words) < SAME_SUBJECT:
        return None
    conflict = conflict_of(one, other)
    differing = first.contrasts ^ second.contrasts
    is_turned = conflict is not Verdict.CONTRADICTED or not differing.isdisjoint(_OPPOSING)
    return conflict if is_turned else None


def _plain(text: str) -> str:
    """Return a sentence as it is compared: without code marks and emphasis."""
    words = text.replace("`", "").split()
    return " ".join(word for word in words if word.casefold() not in _EMPHASIS)
