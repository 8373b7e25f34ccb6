"""What a text states: the marks that must not be lost, and the words that carry its meaning."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from store.text.normalise import Kind, Token, meaning, root, tokens
from store.text.vocabulary import CONTRASTS, STOP_WORDS

WORDS_KEPT = 0.8
"""The share of a fact's content words that a text must hold to keep the fact."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a text. Everything is in its common form (see `store.text.normalise`).

    `numbers` include dates; `names` are proper names; `words` the roots of the content words;
    `contrasts` the words that would make it another statement, negation above all; `spoken` every
    piece of the text, where marks are looked for whatever kind they are taken for here.
    """

    numbers: frozenset[str]
    paths: frozenset[str]
    identifiers: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    contrasts: frozenset[str]
    spoken: frozenset[str]

    @property
    def marks(self) -> frozenset[str]:
        """The numbers, paths, identifiers and proper names together."""
        return self.numbers | self.paths | self.identifiers | self.names

    @property
    def bag(self) -> frozenset[str]:
        """Marks and words: what the text is about, for finding related texts."""
        return self.marks | self.words


@lru_cache(maxsize=4_096)
def facts_of(text: str) -> Facts:
    """The facts that `text` states."""
    found: dict[Kind, set[str]] = {kind: set() for kind in Kind}
    names: set[str] = set()
    words: set[str] = set()
    contrasts: set[str] = set()
    spoken: set[str] = set()
    text = unicodedata.normalize("NFKC", text)
    sentence_starts = _sentence_starts(text)
    for token in tokens(text):
        if token.kind is not Kind.WORD:
            found[token.kind].add(token.value)
            spoken.update(_spoken(token))
            continue
        lower = token.value.casefold()
        spoken.add(lower.removesuffix("'s"))
        if meaning(lower) in _CONTRAST_MEANINGS:
            contrasts.add(meaning(lower))
        if lower in STOP_WORDS:
            continue
        words.add(root(lower))
        if text[token.start - 1 : token.start] == "`" == text[token.end : token.end + 1]:
            found[Kind.IDENTIFIER].add(lower)
        elif _looks_like_name(token.value, token.start in sentence_starts):
            names.add(lower.removesuffix("'s"))
    return Facts(
        numbers=frozenset(found[Kind.NUMBER] | found[Kind.DATE]),
        paths=frozenset(found[Kind.PATH]),
        identifiers=frozenset(found[Kind.IDENTIFIER]),
        names=frozenset(names),
        words=frozenset(words),
        contrasts=frozenset(contrasts),
        spoken=frozenset(spoken),
    )


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


_CONTRAST_MEANINGS = frozenset(meaning(word) for word in CONTRASTS)
_START = re.compile(r"(?:^|[.!?:;\n]|\n\s*[-*#]+)[\s\"'`(\[*_]*")


def _sentence_starts(text: str) -> frozenset[int]:
    return frozenset(match.end() for match in _START.finditer(text))


def _looks_like_name(word: str, starts_sentence: bool) -> bool:
    if len(word) < 2 or not word[0].isupper():
        return False
    return word.isupper() or not starts_sentence


def _spoken(token: Token) -> Iterator[str]:
    """The forms a piece can be asked for: a path or a dotted name by any of its endings too."""
    yield token.value
    separator = {Kind.PATH: "/", Kind.IDENTIFIER: "."}.get(token.kind)
    rest = token.value
    while separator and separator in rest:
        rest = rest.partition(separator)[2]
        yield rest
