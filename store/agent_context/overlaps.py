"""Repetitions in a session's context, and contradictions: sentence by sentence. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from store.agents.context_files import ContextPart
from store.recall.overlaps import is_repeated
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
_DO = frozenset({"use"})
"""Words of an order that those of its opposite need not have: "no tabs", "use tabs"."""


class Sentence(NamedTuple):
    """A sentence of a part: the part's place among all, the lines of its source, from 1, the id of
    the memory that has it, where one does, and what it stands under: a heading, or a line that
    leads to a list.
    """

    part: int
    line: int
    end: int
    text: str
    memory: str = ""
    above: str = ""


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
            one, other = texts[near], texts[at]
            if is_repeated(one, other) or is_repeated(other, one):
                overlaps.append(Overlap(found[near], later, Verdict.REPEATED))
                break  # of three that are the same, the third repeats the first
            conflict = _conflict(found[near], later) if found[near].part != later.part else None
            if conflict is not None:
                overlaps.append(Overlap(found[near], later, conflict))
    return tuple(overlaps)


def _sentences(parts: Sequence[ContextPart], recall: Recall) -> Iterator[Sentence]:
    for at, part in enumerate(parts):
        if part.category == RECALL:
            yield from _recalled(at, part, recall) if part.text else ()
            continue
        heading, lead = "", ""
        for text, line, end, above in passages(part.text):
            if above != heading:
                heading, lead = above, ""
            if text.endswith(":"):
                lead = text
            place = (at, part.line + line - 1, part.line + end - 1, text)
            yield Sentence(*place, above=f"{heading}\n{lead}")


def _recalled(at: int, part: ContextPart, recall: Recall) -> Iterator[Sentence]:
    """Yield the sentences of recalled memories, at their lines in the text."""
    for candidate in recall.included:
        before = part.text.partition(candidate.text)[0].count("\n")
        for text, line, end, _ in passages(candidate.text) if candidate.is_memory else ():
            yield Sentence(at, before + line, before + end, text, candidate.id)


def _conflict(one: Sentence, other: Sentence) -> Verdict | None:
    """Return how two sentences contradict each other that differ in nothing but the words that turn
    an order round, or in numbers. What leads to a list, or stands in one of things not to do, is
    no order of its own; nor is "secrets in code", which "no secrets in code" forbids.
    """
    if not (_is_order(one) and _is_order(other)):
        return None
    first, second = (facts_of(_plain(sentence.text)) for sentence in (one, other))
    turning = first.contrasts ^ second.contrasts
    if (first.identifiers, first.paths) != (second.identifiers, second.paths):
        return None
    differing = first.words ^ second.words
    if len(differing - _DO) > len(turning) or ("no" in differing and _DO.isdisjoint(differing)):
        return None
    if turning:
        return None if turning.isdisjoint(_OPPOSING) else Verdict.CONTRADICTED
    has_numbers = first.numbers and second.numbers
    return Verdict.SUPERSEDED if has_numbers and first.numbers != second.numbers else None


def _is_order(sentence: Sentence) -> bool:
    is_turned = not facts_of(sentence.above).contrasts.isdisjoint(_OPPOSING)
    return not (is_turned or sentence.text.endswith(":"))


def _plain(text: str) -> str:
    """Return a sentence as it is compared: without code marks and emphasis."""
    words = text.replace("`", "").split()
    return " ".join(word for word in words if word.casefold() not in _EMPHASIS)
