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
_LEADING = 1_000
"""Characters of a prompt that say what it is about: what follows are the steps of a plan, or a
log."""
_LONG_PROMPT, _ANSWERED = 10, 3
"""The words of a prompt that are counted as asked for: it need not all be answered, and of a longer
one a third is much."""
_WHOLE = 600
"""Characters up to which a text is told whole, and that are told of a longer one."""
_SUBJECT = 160
"""Characters of what a text is about that are told where it goes on elsewhere."""
_PREFIX = 4
"""Letters that two forms of a word have in common at least, one being the beginning of the other:
`lint` and `linter`."""
_FEWEST_LETTERS = 0.7
"""The share of letters and spaces that prose has, unlike logs."""
LISTS = ("Files: ", "Changed earlier: ", "Reviewed: ", "Changed in this session: ")
"""How the lines of a memory begin that list files, which nobody reads."""
_ASKED = "Asked: "
"""How the line of a memory begins that says what was asked."""
_GAP = " … "
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
        """Weight of words together."""
        return sum(map(self.weights.__getitem__, words))

    def share(self, words: Collection[str]) -> float:
        """The share (0 to 1) of what is asked for that some of its words are."""
        most = max(_LONG_PROMPT, len(self.weights) // _ANSWERED)
        total = sum(sorted(self.weights.values(), reverse=True)[:most])
        return min(1.0, self.weight(words) / total) if total else 0.0


def asked_for(text: str, spread: Spread) -> Asked:
    """The words of a text that say something, weighed by how rare each is."""
    words = stems_of(text[:_LEADING])
    return Asked({word: log(1 / min(1.0, max(spread(word), _RAREST))) for word in words})


def is_question(text: str) -> bool:
    """The prompt asks something, rather than for something to be done."""
    first = text.split(maxsplit=1)[0].lower().rstrip(",:") if text.strip() else ""
    return first in _ASKING


def goes_on(text: str) -> bool:
    """The prompt only asks to go on with what the last session did."""
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
    """The full stop ends no sentence: `1. `, `e.g. `."""
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


def subject_of(text: str) -> str:
    """What a text is about: what was asked, where it says so, else its first sentence."""
    asked = next((line for line in text.splitlines() if line.startswith(_ASKED)), "")
    return asked or next(iter(sentences(text)), text.partition("\n")[0])


@lru_cache(maxsize=1_024)
def _passages(text: str) -> tuple[str, ...]:
    """The sentences of a text, and the parts of those that list something."""
    return tuple(part for sentence in sentences(text) for part in sentence.split("; "))


def telling(text: str, asked: Asked) -> str:
    """What of a text is told: a short one whole; of a longer one what it is about and the sentences
    that carry most of what is asked for, in their order. Without lists of files.
    """
    lines = [line for line in text.splitlines() if not line.startswith(LISTS)]
    text = "\n".join(lines).strip()
    if len(text) <= _WHOLE:
        return text
    text = "\n".join(line for at, line in enumerate(lines) if not (at and line.startswith(_ASKED)))
    first, *parts = _passages(text) or (text,)
    if len(first) > _SUBJECT:
        first = f"{first[: _SUBJECT - 1].rstrip()}…"
    has = [asked.shared(part) for part in parts]
    heard, room, chosen = asked.shared(first), _WHOLE - len(first), set[int]()
    while True:
        rest = [at for at in range(len(parts)) if at not in chosen and len(parts[at]) < room]
        if not rest:
            break
        best = max(rest, key=lambda at: (asked.weight(has[at] - heard), asked.weight(has[at]), -at))
        chosen.add(best)
        heard |= has[best]
        room -= len(parts[best]) + len(_GAP)
    told, last = first, -1
    for at in sorted(chosen):
        told += (" " if at == last + 1 and not told.endswith("…") else _GAP) + parts[at]
        last = at
    return told
