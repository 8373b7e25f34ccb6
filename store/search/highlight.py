"""Where a query's words stand in a text: the marks in rows, and the passage to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from store.search.query import Query
from store.search.words import camel_parts, cjk_runs, plain_terms, stem, without_cjk

Marks = tuple[tuple[int, int], ...]
"""Character ranges, in order, not overlapping."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSAGE = 160


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to mark: whole words (with their stems), beginnings of words, and CJK runs.

    `starts` finds the places where such a word may begin, in text without accents.
    """

    words: frozenset[str]
    stems: frozenset[str]
    prefixes: tuple[str, ...]
    runs: tuple[str, ...]
    starts: re.Pattern[str] | None

    def __bool__(self) -> bool:
        """Whether there is anything to mark."""
        return bool(self.words or self.prefixes or self.runs)


def wanted(query: Query, near: Sequence[tuple[str, str]] = ()) -> Wanted:
    """What to mark for a query; `near` adds the spellings that were found instead."""
    words: set[str] = {found for _, found in near}
    prefixes: set[str] = set()
    runs: list[str] = []
    for term in query.terms:
        if term.negated:
            continue
        runs += cjk_runs(term.text)
        latin = without_cjk(term.text)
        terms = plain_terms(latin)
        words.update(terms, camel_parts(latin))
        if term.prefix and terms:
            prefixes.add(terms[-1])
            prefixes.update(camel_parts(latin)[-1:])
    stems = frozenset(map(stem, words))
    starts = _starts({_shared_start(word, stem(word)) for word in words} | prefixes)
    return Wanted(frozenset(words), stems, tuple(prefixes), tuple(runs), starts)


def _shared_start(one: str, other: str) -> str:
    pairs = zip(one, other, strict=False)
    return one[: next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))]


def _starts(beginnings: set[str]) -> re.Pattern[str] | None:
    keys = "|".join(re.escape(key) for key in sorted(beginnings) if key)
    if not keys:
        return None
    return re.compile(rf"(?:(?<![^\W_])|(?<=[a-z0-9])(?=[A-Z]))(?i:{keys})[^\W_]*")


def marks(text: str, what: Wanted) -> Marks:
    """Where the wanted words stand in a text."""
    found: list[tuple[int, int]] = []
    if what.starts is not None:
        # Accents are folded word by word, which the pattern can't do.
        pattern = what.starts if text.isascii() else _WORD
        for match in pattern.finditer(text):
            word = match.group()
            if _fits(_fold(word), what):
                found.append(match.span())
            elif not word.islower():
                start = match.start()
                found += [
                    (start + part.start(), start + part.end())
                    for part in _CAMEL_PART.finditer(word)
                    if part.group() != word and _fits(part.group().lower(), what)
                ]
    for run in what.runs:
        at = text.find(run)
        while at >= 0:
            found.append((at, at + len(run)))
            at = text.find(run, at + len(run))
    return _merged(found)


def passage(text: str, what: Wanted, length: int = _PASSAGE) -> tuple[str, Marks]:
    """A stretch of the text around the first match, white space folded, and the marks in it."""
    folded = " ".join(text.split())
    places = marks(folded, what)
    if len(folded) <= length:
        return folded, places
    start = max(0, places[0][0] - length // 4) if places else 0
    if start:
        start = folded.find(" ", start) + 1 if " " in folded[start : start + 20] else start
    end = min(len(folded), start + length)
    shown = ("…" if start else "") + folded[start:end] + ("…" if end < len(folded) else "")
    shift = (1 if start else 0) - start
    inside = ((a + shift, b + shift) for a, b in places if a >= start and b <= end)
    return shown, tuple(inside)


def _fits(word: str, what: Wanted) -> bool:
    if word in what.words:
        return True
    if any(word.startswith(prefix) for prefix in what.prefixes):
        return True
    return stem(word) in what.stems


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    split = unicodedata.normalize("NFKD", word.lower())
    return "".join(char for char in split if not unicodedata.combining(char))


def _merged(ranges: list[tuple[int, int]]) -> Marks:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
