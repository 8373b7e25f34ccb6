"""What a text states: the marks that must not be lost, and the words that carry its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from store.text.normalise import Kind, Token, all_chunks, chunks, meaning, root, tokens
from store.text.vocabulary import CONTRASTS, STOP_WORDS

WORDS_KEPT = 0.8
"""The share of a fact's content words that a text must hold to keep the fact."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a text. Everything is in its common form (see `store.text.normalise`).

    `numbers` are without dates; `names` are proper names; `words` the roots of the content words;
    `contrasts` the words that would make it another statement, negation above all; `spoken` every
    piece of the text, where marks are looked for whatever kind they are taken for here. `marks` are
    the numbers, dates, paths, identifiers and names together.
    """

    numbers: frozenset[str]
    dates: frozenset[str]
    paths: frozenset[str]
    identifiers: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    contrasts: frozenset[str]
    spoken: frozenset[str]
    marks: frozenset[str]

    @property
    def bag(self) -> frozenset[str]:
        """Marks and words: what the text is about, for finding related texts."""
        return self.marks | self.words


@lru_cache(maxsize=4_096)
def facts_of(text: str) -> Facts:
    """The facts that `text` states."""
    lines = [[_LINE_START, *map(_read, line)] for line in chunks(text)]
    read = [reading for line in lines for reading in line]
    names = [
        reading.names
        for line in lines
        for before, reading in pairwise(line)
        if reading.names and not before.ends
    ]
    marked = [reading for reading in read if reading.is_marked]
    numbers = _union(reading.numbers for reading in marked)
    dates = _union(reading.dates for reading in marked)
    paths = _union(reading.paths for reading in marked)
    identifiers = _union(reading.identifiers for reading in marked)
    proper = _union(names) | _union(reading.acronyms for reading in marked)
    return Facts(
        numbers=numbers,
        dates=dates,
        paths=paths,
        identifiers=identifiers,
        names=proper,
        words=_union([reading.words for reading in read]),
        contrasts=_union(reading.contrasts for reading in marked),
        spoken=_union([reading.spoken for reading in read]),
        marks=numbers | dates | paths | identifiers | proper,
    )


def subjects_of(text: str) -> frozenset[str]:
    """What `text` is about: its marks and the meanings of its content words.

    Read three times as fast as its facts, for finding texts that may be alike.
    """
    return frozenset(chain.from_iterable(map(_subjects, all_chunks(text))))


def kept(fact: str, text: str) -> bool:
    """Whether `text` keeps `fact`.

    It does when every number, path, identifier and proper name of the fact and at least 80% of
    its content words are in the text, and its negations and other contrasts too. A path counts
    as held by a longer one that ends in it.
    """
    return keeps(facts_of(text), facts_of(fact))


def keeps(held: Facts, fact: Facts) -> bool:
    """`kept`, for facts already read: whether `held` keeps `fact`."""
    return not missing_marks(held, fact) and word_share(held, fact) >= WORDS_KEPT


def missing_marks(held: Facts, fact: Facts) -> frozenset[str]:
    """The marks and contrasts of `fact` that `held` lacks."""
    return (fact.marks - held.spoken) | (fact.contrasts - held.contrasts)


def word_share(held: Facts, fact: Facts) -> float:
    """The share (0 to 1) of the content words of `fact` that `held` has; 1 where it has none."""
    return len(fact.words & held.words) / len(fact.words) if fact.words else 1.0


_BREAK = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<!etc\.)\s+(?=[A-Z\"'`(\[])")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_FENCE = re.compile(r"^\s*(```|~~~)")


def statements(text: str) -> tuple[str, ...]:
    """The statements of a text in order: its sentences, bullets and headings.

    A fenced block of code is one statement, kept as it is written; so is a line of a table.
    """
    found: list[str] = []
    block: list[str] = []
    for line in text.splitlines():
        if block or _FENCE.match(line):
            block.append(line)
            if len(block) > 1 and _FENCE.match(line):
                found.append("\n".join(block))
                block = []
            continue
        found.extend(part for part in _BREAK.split(_BULLET.sub("", line).strip()) if part)
    if block:
        found.append("\n".join(block))
    return tuple(found)


def spellings(text: str) -> dict[str, str]:
    """How each number, path, identifier and name of `text` is written in it, by its common form."""
    found = (token for line in chunks(text) for chunk in line for token in tokens(chunk))
    return {token.value: token.written for token in found}


_Pieces = tuple[str, ...]


class _Reading(NamedTuple):
    """What one chunk of a text adds to its facts; `ends` says that a sentence ends with it."""

    numbers: _Pieces = ()
    dates: _Pieces = ()
    paths: _Pieces = ()
    identifiers: _Pieces = ()
    names: _Pieces = ()
    acronyms: _Pieces = ()
    words: _Pieces = ()
    contrasts: _Pieces = ()
    spoken: _Pieces = ()
    subjects: _Pieces = ()
    is_marked: bool = False
    ends: bool = False


_LINE_START = _Reading(ends=True)
_CONTRAST_MEANINGS = frozenset(meaning(word) for word in CONTRASTS)


@lru_cache(maxsize=65_536)
def _read(chunk: str) -> _Reading:
    found = tokens(chunk)
    words = [token for token in found if token.kind is Kind.WORD and token.value not in STOP_WORDS]
    capitals = [word for word in words if word.written[0].isupper() and len(word.written) > 1]
    senses = {meaning(token.value) for token in found if token.kind is Kind.WORD}
    reading = _Reading(
        numbers=_of_kind(found, Kind.NUMBER),
        dates=_of_kind(found, Kind.DATE),
        paths=_of_kind(found, Kind.PATH),
        identifiers=(
            *_of_kind(found, Kind.IDENTIFIER),
            *(word.value for word in words if word.quoted),
        ),
        names=tuple(word.value for word in capitals if not word.quoted),
        acronyms=tuple(word.value for word in capitals if word.written.isupper()),
        contrasts=tuple(sorted(senses & _CONTRAST_MEANINGS)),
    )
    meanings = tuple(meaning(word.value) for word in words)
    marks = reading.numbers + reading.dates + reading.paths + reading.identifiers
    return reading._replace(
        words=tuple(root(word.value) for word in words),
        subjects=meanings + marks,
        spoken=tuple(form for token in found for form in _spoken(token)),
        is_marked=any(reading),
        ends=not found or chunk.rstrip("\"'`)]*_").endswith((".", "!", "?", ":", ";")),
    )


@lru_cache(maxsize=65_536)
def _subjects(chunk: str) -> _Pieces:
    return _read(chunk).subjects


def _of_kind(found: tuple[Token, ...], *kinds: Kind) -> _Pieces:
    return tuple(token.value for token in found if token.kind in kinds)


def _union(pieces: Iterable[_Pieces]) -> frozenset[str]:
    return frozenset().union(*pieces)


def _spoken(token: Token) -> Iterator[str]:
    """The forms a piece can be asked for: a path or a dotted name by any of its endings too."""
    yield token.value
    separator = {Kind.PATH: "/", Kind.IDENTIFIER: "."}.get(token.kind)
    rest = token.value
    while separator and separator in rest:
        rest = rest.partition(separator)[2]
        yield rest
