"""Marks of a query's words in a text, for rows, and the passage to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from store.search.analyzers import camel_parts, cjk_runs, plain_terms, stem, without_cjk
from store.search.query import Query

Marks = tuple[tuple[int, int], ...]
"""Character ranges, in order, not overlapping."""

_WORD = re.compile(r"[^\W_]+")
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_PASSAGE = 160


class Wanted(NamedTuple):
    """The words to mark: whole ones (with their stems), beginnings of words, and CJK runs.

    `starts` are how such words begin, the shared start of a word and its stem.
    """

    words: frozenset[str]
    stems: frozenset[str]
    prefixes: tuple[str, ...]
    runs: tuple[str, ...]
    starts: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.words or self.runs)


def wanted(query: Query, near: Sequence[tuple[str, str]] = ()) -> Wanted:
    """Collect the words to mark for a query; `near` adds the spellings that were found instead."""
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
    starts = {_shared_start(word, stem(word)) for word in words} | prefixes
    return Wanted(
        frozenset(words), stems, tuple(prefixes), tuple(runs), tuple(sorted(starts - {""}))
    )


def _shared_start(one: str, other: str) -> str:
    pairs = zip(one, other, strict=False)
    return one[: next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))]


def marks(text: str, what: Wanted) -> Marks:
    found: list[tuple[int, int]] = []
    folded = _fold(text)
    for key in what.starts:
        at = folded.find(key)
        while at >= 0:
            if _can_begin(text, at):
                found += _word_marks(text, folded, at, what)
            at = folded.find(key, at + 1)
    for run in what.runs:
        at = text.find(run)
        while at >= 0:
            found.append((at, at + len(run)))
            at = text.find(run, at + len(run))
    return _merged(found)


def _can_begin(text: str, at: int) -> bool:
    """Return whether a word, or a part of a camel-case word, begins here."""
    if at == 0 or not text[at - 1].isalnum():
        return True
    return text[at].isupper() and not text[at - 1].isupper()


def _word_marks(text: str, folded: str, at: int, what: Wanted) -> Iterator[tuple[int, int]]:
    match = _WORD.match(text, at)
    if match is None:
        return
    end = match.end()
    if _is_wanted(folded[at:end], what):
        yield at, end
    elif not text[at:end].islower():
        for part in _CAMEL_PART.finditer(text, at, end):
            if part.span() != (at, end) and _is_wanted(part.group().lower(), what):
                yield part.span()


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


def _is_wanted(word: str, what: Wanted) -> bool:
    if word in what.words:
        return True
    if any(word.startswith(prefix) for prefix in what.prefixes):
        return True
    return stem(word) in what.stems


def _fold(text: str) -> str:
    """Lower case without accents, character by character, so that places stay the same."""
    if text.isascii():
        return text.lower()
    bare = text.translate(_accents()) if _ACCENTED.search(text) else text
    # Of all letters only İ grows in lower case, and here it is an I already.
    return bare.lower()


@cache
def _accents() -> dict[int, str]:
    """Latin letters with accents, and the letter each is written with."""
    plain = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        split = unicodedata.normalize("NFKD", chr(code))
        bare = "".join(char for char in split if not unicodedata.combining(char))
        if len(bare) == 1 and bare != chr(code):
            plain[code] = bare
    return plain


def _merged(ranges: list[tuple[int, int]]) -> Marks:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
