"""Overlaps: near-duplicates give way to the newest, statements to those that undo them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING
from zlib import crc32

from store.model import Layer, Observation, layer_of
from store.recall.reasons import Verdict
from store.text.content_words import content_words
from store.text.spaced import spaced

if TYPE_CHECKING:
    from store.text.facts import Facts

_SAME = 0.8
_SAME_SUBJECT = 0.6
_TURNS = re.compile(
    r"\b(?:no longer|not any ?more|instead of|rather than|replac(?:es|ed|ing)|supersed(?:es|ed)|"
    r"revert(?:s|ed)|switched from|moved away from|dropped|deprecated|obsolete)\b",
    re.IGNORECASE,
)
_SUBJECT_OF_TURN = 0.75
_LETTERS = 4
"""How many letters of a word are its beginning; shorter words have none."""
_BEGINNING = re.compile(rf"\b\w{{{_LETTERS}}}")
_BEGINNINGS = re.compile(b" " + b"[^ ]" * _LETTERS)
"""The same in a text that is spaced, with the space before: a fifth of the time that the pattern
above takes. So is text whose only signs beyond ASCII are no letters: dashes, arrows, `…`."""
_LETTER_BEYOND = re.compile(r"[^\W\x00-\x7f]")
_BITS, _REMEMBERED = 1_024, 8_192
_COVERED = 0.5
"""The share of the older one's words that a newer must have, too, to be worth a closer look; of
the words of both, where only those give way that say the same."""
_FIGURES = 3
"""How often a figure may have changed. Where more say the same with other figures, these number
the parts of a series, and each of them stands."""
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)


def giving_way(observations: Sequence[Observation]) -> dict[str, tuple[Verdict, Observation]]:
    """For the id of each that gives way: the reason, and the newer one it gives way to.

    A newer one wins when it names the older among its sources, when it says all that the older
    says, or when both state something (semantic, procedural) of one subject in one issue and differ
    in a negation or a number, or the newer says that something was replaced.
    """
    by_age = sorted(
        observations, key=lambda observation: (observation.timestamp, observation.id), reverse=True
    )
    named = _summed_up(by_age)
    words = [_words_of(candidate.content) for candidate in by_age]
    standing: dict[str | int, list[tuple[int, int]]] = defaultdict(list)
    ways: dict[str, tuple[Verdict, Observation]] = {}
    for at, older in enumerate(by_age):
        summing = named.get(older.id)
        if summing is not None:
            ways[older.id] = (Verdict.SUMMED_UP, summing)
            continue
        said, least, kinds = words[at], words[at].bit_count() * _COVERED, _kinds(older)
        close = {
            near
            for kind in kinds
            for near, other in standing[kind]
            if (shared := (said & other).bit_count()) >= least
            # Of one category alone only those give way that say the same.
            and (isinstance(kind, int) or shared >= (said | other).bit_count() * _COVERED)
        }
        for near in sorted(close):
            why = _why(older, by_age[near])
            if why is not None:
                ways[older.id] = (why, by_age[near])
                break
        else:
            for kind in kinds:
                standing[kind].append((at, said))
    return _without_series(ways)


def _summed_up(by_age: Sequence[Observation]) -> dict[str, Observation]:
    """Who sums up each that is named among the sources of another, the newest of several: an older
    may be named, and give way, itself. Of those that name each other the newest stands.
    """
    named = {
        source: newer
        for newer in reversed(by_age)
        for source in newer.sources
        if source != newer.id
    }
    for candidate in by_age:
        if candidate.id in named and _comes_back(candidate.id, named):
            del named[candidate.id]
    return named


def _comes_back(identifier: str, named: Mapping[str, Observation]) -> bool:
    seen: set[str] = set()
    at = named.get(identifier)
    while at is not None and at.id not in seen:
        if at.id == identifier:
            return True
        seen.add(at.id)
        at = named.get(at.id)
    return False


def _without_series(
    ways: dict[str, tuple[Verdict, Observation]],
) -> dict[str, tuple[Verdict, Observation]]:
    """Leave out the parts of a series, which differ in their numbers alone."""
    changed = Counter(newer.id for why, newer in ways.values() if why is Verdict.SUPERSEDED)
    return {
        older: (why, newer)
        for older, (why, newer) in ways.items()
        if why is not Verdict.SUPERSEDED or changed[newer.id] <= _FIGURES
    }


def _kinds(observation: Observation) -> Sequence[str | int]:
    """Only those that share one can give way to each other: a category, or, of what states
    something, the issue.
    """
    if layer_of(observation.category) in _STATING:
        return observation.category, observation.issue_number
    return (observation.category,)


_EACH = tuple(1 << at for at in range(_BITS))
"""The numbers of one bit; each is there once, however many beginnings fall on it."""


class _Bits(dict[bytes, int]):
    """A bit for each beginning after a space; few of those in two texts fall on the same one."""

    def __missing__(self, beginning: bytes) -> int:
        if len(self) >= _REMEMBERED:
            self.clear()
        bit = self[beginning] = _EACH[crc32(beginning[1:]) % _BITS]
        return bit


_BIT = _Bits()


@lru_cache(maxsize=_REMEMBERED)
def _words_of(text: str) -> int:
    """The beginnings of a text's words as the bits of a number, so that texts which share many are
    found before any is read closely.
    """
    if text.isascii() or not _LETTER_BEYOND.search(text):
        beginnings = _BEGINNINGS.findall(spaced(text))
    else:
        found = _BEGINNING.findall(text.lower())
        beginnings = [f" {it}".encode("utf-8", "surrogatepass") for it in found]
    # A set of them would take longer than it takes to add those again that are there already.
    return reduce(or_, map(_BIT.__getitem__, beginnings), 0)


def _why(older: Observation, newer: Observation) -> Verdict | None:
    """Reason why the older of two gives way; None where it does not."""
    said, says = content_words(older.content), content_words(newer.content)
    if len(said & says) < _COVERED * len(said):
        return None
    # Imported where two come close: most recalls read no facts at all.
    from store.text.facts import facts_of
    from store.text.order import is_reordered
    from store.text.similarity import is_covered_by

    told, tells = facts_of(older.content), facts_of(newer.content)
    same_kind = older.category == newer.category and is_covered_by(told, tells)
    alike = same_kind and _alike(told.bag, tells.bag) >= _SAME
    if alike and not is_reordered(older.content, newer.content):
        return Verdict.REPEATED
    if layer_of(older.category) in _STATING and older.issue_number == newer.issue_number:
        return _undone(told, tells, newer)
    return None


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share (0 to 1) of the words of both that they have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one else 0.0


def _undone(older: Facts, newer: Facts, statement: Observation) -> Verdict | None:
    """Way in which a newer statement undoes an older one; None where it does not."""
    if not older.words:
        return None
    same_things = older.identifiers == newer.identifiers and older.paths == newer.paths
    if same_things and _alike(older.words, newer.words) >= _SAME_SUBJECT:
        if older.contrasts != newer.contrasts:
            return Verdict.CONTRADICTED
        if older.numbers != newer.numbers and bool(older.numbers) == bool(newer.numbers):
            return Verdict.SUPERSEDED
    covered = len(older.words & newer.words) / len(older.words)
    if covered >= _SUBJECT_OF_TURN and _TURNS.search(statement.content):
        return Verdict.REPLACED
    return None
