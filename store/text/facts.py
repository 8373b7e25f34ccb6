"""Facts of a text: the marks that must not be lost, and the words that carry its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from store.platform.lazy_pattern import lazy_pattern
from store.text.normalise import Kind, Token, chunks, tokens
from store.text.roots import meaning, root
from store.text.vocabulary import CONTRASTS, STOP_WORDS

WORDS_KEPT = 0.8
"""The share of a fact's content words that a text must hold to keep the fact."""
_BREAK = lazy_pattern(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<! vs\.)(?<!etc\.)\s+(?=[A-Z\"'`(\[])")
_BULLET = lazy_pattern(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_FENCE = lazy_pattern(r"^\s*(```|~~~)")
_Pieces = tuple[str, ...]
_CONTRAST_MEANINGS = frozenset(meaning(word) for word in CONTRASTS)
_CHUNKS = 65_536
"""Chunks that are kept as they were read: as many as a large store has."""


class Facts(NamedTuple):
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
    readings, names = [_Reading()], set[str]()
    for line in chunks(text):
        is_first = True
        for reading in map(_read, line):
            readings.append(reading)
            names.update(reading.first_names if is_first else reading.names)
            is_first = reading.ends_sentence
    numbers, dates, paths, identifiers, words, contrasts, spoken = map(
        _union, zip(*(reading[:7] for reading in readings), strict=True)
    )
    return Facts(
        numbers=numbers,
        dates=dates,
        paths=paths,
        identifiers=identifiers,
        names=frozenset(names),
        words=words,
        contrasts=contrasts,
        spoken=spoken,
        marks=numbers.union(dates, paths, identifiers, names),
    )


def subjects_of(text: str) -> frozenset[str]:
    """Subjects of `text`: its marks but for names, and the meanings of its content words.

    Read twice as fast as its facts, for finding texts that may be alike.
    """
    return _union(_subjects(chunk) for line in chunks(text) for chunk in line)


def has_fact(held: Facts, fact: Facts) -> bool:
    """Return whether the text of `held` keeps a fact.

    It does when every number, path, identifier and proper name of the fact and at least 80% of
    its content words are in the text, and its negations and other contrasts too. A path counts
    as held by a longer one that ends in it.
    """
    return not missing_marks(held, fact) and word_share(held, fact) >= WORDS_KEPT


def missing_marks(held: Facts, fact: Facts) -> frozenset[str]:
    """Return the marks and contrasts of `fact` that `held` lacks."""
    return (fact.marks - held.spoken) | (fact.contrasts - held.contrasts)


def word_share(held: Facts, fact: Facts) -> float:
    """The share (0 to 1) of the content words of `fact` that `held` has; 1 where it has none."""
    return len(fact.words & held.words) / len(fact.words) if fact.words else 1.0


def statements(text: str) -> tuple[str, ...]:
    """Return the statements of a text in order: its sentences, bullets and headings.

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
        bare = _BULLET.sub("", line).strip()
        parts = (bare,) if bare.startswith("|") else _BREAK.split(bare)
        found.extend(filter(None, parts))
    if block:
        found.append("\n".join(block))
    return tuple(found)


class _Reading(NamedTuple):
    """The facts of one chunk of a text, each as in `Facts`.

    `first_names` are its names where it begins a sentence: only capitals throughout make one there.
    """

    numbers: _Pieces = ()
    dates: _Pieces = ()
    paths: _Pieces = ()
    identifiers: _Pieces = ()
    words: _Pieces = ()
    contrasts: _Pieces = ()
    spoken: _Pieces = ()
    names: _Pieces = ()
    first_names: _Pieces = ()
    ends_sentence: bool = False


@lru_cache(maxsize=_CHUNKS)
def _read(chunk: str) -> _Reading:
    found = tokens(chunk)
    words = _content_words(found)
    capitals = [word for word in words if word.written[0].isupper() and len(word.written) > 1]
    acronyms = tuple(word.value for word in capitals if word.written.isupper())
    meanings = {meaning(token.value) for token in found if token.kind is Kind.WORD}
    return _Reading(
        *_marks(found, words),
        words=tuple(root(word.value) for word in words),
        contrasts=tuple(meanings & _CONTRAST_MEANINGS),
        spoken=tuple(form for token in found for form in _spoken(token)),
        names=acronyms + tuple(word.value for word in capitals if not word.quoted),
        first_names=acronyms,
        ends_sentence=not found or chunk.rstrip("\"'`)]*_").endswith((".", "!", "?", ":", ";")),
    )


@lru_cache(maxsize=_CHUNKS)
def _subjects(chunk: str) -> _Pieces:
    found = tokens(chunk)
    words = _content_words(found)
    meanings = tuple(meaning(word.value) for word in words)
    return meanings + tuple(chain.from_iterable(_marks(found, words)))


def _content_words(found: tuple[Token, ...]) -> list[Token]:
    return [token for token in found if token.kind is Kind.WORD and token.value not in STOP_WORDS]


def _marks(
    found: tuple[Token, ...], words: list[Token]
) -> tuple[_Pieces, _Pieces, _Pieces, _Pieces]:
    quoted = tuple(word.value for word in words if word.quoted)
    return (
        _of_kind(found, Kind.NUMBER),
        _of_kind(found, Kind.DATE),
        _of_kind(found, Kind.PATH),
        _of_kind(found, Kind.IDENTIFIER) + quoted,
    )


def _of_kind(found: tuple[Token, ...], kind: Kind) -> _Pieces:
    return tuple(token.value for token in found if token.kind is kind)


def _union(pieces: Iterable[_Pieces]) -> frozenset[str]:
    return frozenset(chain.from_iterable(pieces))


def _spoken(token: Token) -> Iterator[str]:
    """The forms a piece can be asked for: a path or a dotted name by any of its endings too."""
    yield token.value
    separator = {Kind.PATH: "/", Kind.IDENTIFIER: "."}.get(token.kind)
    rest = token.value
    while separator and separator in rest:
        rest = rest.partition(separator)[2]
        yield rest
