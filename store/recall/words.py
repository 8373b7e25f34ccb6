"""The words that are asked for: how much of them a text has, and which of its sentences carry it.

Pure: how common a word is comes from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from store.search.analyzers import stem
from store.search.relevance import stems_of

Spread = Callable[[str], float]
"""The share (0 to 1) of all that is known in which a word, by its stem, stands."""
_RAREST = 0.02
"""A word rarer than this weighs no more: it may be a slip of the pen."""
LONG_PROMPT = 10
"""The words of a long text that are counted as asked for: it need not all be answered."""
_PREFIX = 4
"""Letters that two forms of a word have in common at least, one being the beginning of the other:
`lint` and `linter`."""
_FEWEST_LETTERS = 0.7
"""The share of letters and spaces that prose has, unlike logs."""
_FENCES = ("```", "~~~")
_ENDS = (". ", "! ", "? ")

_ASKING = frozenset("why what how where when which who whose is are was were does did".split())
"""The words that a question begins with."""
_CONTINUING = frozenset(map(stem, ("continue", "resume", "proceed", "carry", "left")))
_GOING_ON = _CONTINUING | set(map(stem, ("keep", "pick", "up", "off", "on", "work", "last")))
"""The stems of a prompt that only asks to go on: `continue`, `pick up where we left off`."""


class Asked(NamedTuple):
    """The stems that are asked for, each with its weight; rare words weigh more."""

    weights: Mapping[str, float]

    def shared(self, text: str) -> frozenset[str]:
        """The stems asked for that a text has, in whatever form."""
        has = _stems(text)
        found = self.weights.keys() & has
        missing = [word for word in self.weights if word not in has and len(word) >= _PREFIX]
        if missing:
            beginnings = _beginnings(text)
            found |= {word for word in missing if _has_form(word, beginnings)}
        return frozenset(found)

    def weight(self, words: Collection[str]) -> float:
        """What words weigh together."""
        return sum(map(self.weights.__getitem__, words))

    def share(self, words: Collection[str], most: int) -> float:
        """The share (0 to 1) of what is asked for that some of its words are; of a long text no
        more than `most` words need be there.
        """
        total = sum(sorted(self.weights.values(), reverse=True)[:most])
        return min(1.0, self.weight(words) / total) if total else 0.0


def asked_for(text: str, spread: Spread) -> Asked:
    """The words of a text that say something, weighed by how rare each is."""
    return Asked({word: log(1 + 1 / max(spread(word), _RAREST)) for word in stems_of(text)})


def is_question(text: str) -> bool:
    """Whether a prompt asks something, rather than for something to be done."""
    first = text.split(maxsplit=1)[0].lower().rstrip(",:") if text.strip() else ""
    return first in _ASKING


def goes_on(text: str) -> bool:
    """Whether a prompt only asks to go on with what the last session did."""
    stems = stems_of(text)
    return bool(stems & _CONTINUING) and stems <= _GOING_ON


@lru_cache(maxsize=4_096)
def _stems(text: str) -> frozenset[str]:
    return stems_of(text)


@lru_cache(maxsize=1_024)
def _beginnings(text: str) -> Mapping[str, tuple[str, ...]]:
    """The stems of a text by their first letters."""
    found: dict[str, list[str]] = {}
    for word in _stems(text):
        if len(word) >= _PREFIX:
            found.setdefault(word[:_PREFIX], []).append(word)
    return {beginning: tuple(words) for beginning, words in found.items()}


def _has_form(word: str, beginnings: Mapping[str, tuple[str, ...]]) -> bool:
    others = beginnings.get(word[:_PREFIX], ())
    return any(word.startswith(other) or other.startswith(word) for other in others)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, without code blocks, headings and what is no prose."""
    found: list[str] = []
    fence = ""
    for line in text.splitlines():
        stripped = line.strip()
        if opening := next((mark for mark in _FENCES if stripped.startswith(mark)), ""):
            fence = "" if fence else opening
        elif not fence and stripped and not stripped.startswith("#"):
            found.extend(part for part in _parts(stripped) if _is_prose(part))
    return found


def _parts(line: str) -> Iterator[str]:
    """A line cut behind each full stop."""
    start = 0
    at = 1
    while at < len(line):
        if line[at - 1 : at + 1] in _ENDS and not _is_abbreviated(line[start : at - 1]):
            yield line[start:at].strip()
            start = at + 1
        at += 1
    if rest := line[start:].strip():
        yield rest


def _is_abbreviated(before: str) -> bool:
    """Whether a full stop ends no sentence: `1. `, `e.g. `."""
    word = before.rpartition(" ")[2]
    return len(word) < _PREFIX and (len(word) < 2 or word.isdigit() or "." in word)


def _is_prose(sentence: str) -> bool:
    letters = sum(sign.isalpha() or sign == " " for sign in sentence)
    return letters >= _FEWEST_LETTERS * len(sentence)


def leading(parts: Sequence[str], most: int) -> str:
    """The first of some sentences, of at most `most` characters."""
    told: list[str] = []
    for part in parts:
        most -= len(part) + 1
        if most < 0:
            break
        told.append(part)
    return " ".join(told)


def best_of(parts: Sequence[str], asked: Asked, most: int) -> str:
    """Those of some sentences that carry what is asked for, in their order, at most `most`
    characters; empty where not even the best fits.
    """
    has = [asked.shared(part) for part in parts]
    chosen: list[int] = []
    heard: frozenset[str] = frozenset()
    room = most
    while True:
        rest = [at for at in range(len(parts)) if at not in chosen and len(parts[at]) < room]
        best = max(rest, key=lambda at: (asked.weight(has[at] - heard), -at), default=None)
        if best is None or (chosen and not asked.weight(has[best] - heard)):
            break
        chosen.append(best)
        heard |= has[best]
        room -= len(parts[best]) + len(" … ")
    told = ""
    for before, at in zip([-1, *sorted(chosen)], sorted(chosen), strict=False):
        gap = "" if not told else " " if at == before + 1 else " … "
        told += gap + parts[at]
    return told
