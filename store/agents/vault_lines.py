"""The lines of a conversation that a vault's own program takes for decisions and lessons.

By its own patterns, as the five-layer memory's document lists them: they are a client's format, and
are asked of the conversations that this program saved, of no others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from store.model import Category

LONGEST = 300
"""Characters of a line that are kept."""
_MOST_EACH, _SHORTEST = 10, 15
_DECISION = re.compile(
    r"\bdecid|\bchose\b|\bwill use\b|\bdecisão|\bescolh|\boptamos|\badotamos|\bvamos usar\b"
    r"|\bwent with\b|\bsettled on\b",
    re.I,
)
_LESSON = re.compile(
    r"\blearned\b|\bimportant|\bnote:|\baprendemos|\blição|\bdiscovery|\binsight|\bdescobr"
    r"|\bobserv",
    re.I,
)


class VaultLine(NamedTuple):
    """A line that is kept: the number of its message, its category, its text."""

    message: int
    category: Category
    text: str


def vault_lines(messages: Iterable[str]) -> Iterator[VaultLine]:
    """Yield the lines of an agent's messages that are kept, ten decisions and lessons at most."""
    found: Counter[str] = Counter()
    known: set[str] = set()
    for number, message in enumerate(messages):
        for line in map(str.strip, message.split("\n")):
            category, text = _category_of(line), line[:LONGEST]
            if category is None or text in known or found[category] >= _MOST_EACH:
                continue
            found[category] += 1
            known.add(text)
            yield VaultLine(number, category, text)


def _category_of(line: str) -> Category | None:
    if len(line) <= _SHORTEST:
        return None
    if _DECISION.search(line):
        return Category.DECISION
    return Category.LESSON if _LESSON.search(line) else None
