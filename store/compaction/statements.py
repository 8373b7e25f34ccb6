"""Telling several texts as one: what is said twice is said once, and nothing else is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from store.text.facts import (
    WORDS_KEPT,
    Facts,
    facts_of,
    keeps,
    missing_marks,
    spellings,
    statements,
    word_share,
)


class Said(NamedTuple):
    """A statement as one observation made it. `label` introduces it when it is told."""

    text: str
    by: str
    on: datetime
    label: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A statement that the merged text makes.

    `also` are marks that others added to it, `covers` the statements that it makes superfluous.
    """

    said: Said
    text: str
    also: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        """The statement with the added marks in brackets at its end."""
        if not self.also:
            return self.text
        stop = self.text[-1:] if self.text.endswith((".", "!", "?")) else ""
        return f"{self.text.removesuffix(stop)} (also {', '.join(self.also)}){stop}"

    @property
    def facts(self) -> Facts:
        """The facts of the full statement."""
        return facts_of(self.full)


class Dropped(NamedTuple):
    """A statement that is not told, since another one says it or has taken its place."""

    said: Said
    instead: Said
    superseded: bool


@dataclass(slots=True)
class Telling:
    """The statements told so far, and those that need not be."""

    told: list[Told] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def copy(self) -> Telling:
        """A telling that can go on without changing this one."""
        return Telling(list(self.told), list(self.dropped))

    def tell(self, said: Said) -> None:
        """Add a statement, unless one told already says it, can note what it adds, or, being

        later, has taken its place. A statement that says all of one told before, and more, is
        told instead of that one.
        """
        new = _told(said)
        for index, held in enumerate(self.told):
            if _restates(held, new):
                self._fold(index, held, new)
            elif _restates(new, held):
                self._fold(index, new, held)
            elif said.on < held.said.on and supersedes(held.text, new.text):
                self.dropped.append(Dropped(said, held.said, superseded=True))
            else:
                continue
            return
        for index, held in enumerate(self.told):
            for base, other in ((held, new), (new, held)):
                if added := _added_marks(base, other):
                    self._fold(index, replace(base, also=(*base.also, *added)), other)
                    return
        self.told.append(new)

    def _fold(self, index: int, base: Told, other: Told) -> None:
        covers = dict.fromkeys((*base.covers, other.full, *other.covers))
        self.told[index] = replace(base, covers=tuple(covers))
        self.dropped.append(Dropped(other.said, base.said, superseded=False))


def said_by(by: str, text: str, on: datetime, label: str = "") -> list[Said]:
    """The statements of a text, as the observation `by` made them then."""
    return [Said(statement, by, on, label) for statement in statements(text)]


def tell_lines(told: list[Told]) -> str:
    """The statements told, a line for each; a label that several share is said once."""
    lines: list[str] = []
    label = ""
    for one in told:
        lines.append(one.full if one.said.label == label else one.said.label + one.full)
        label = one.said.label
    return "\n".join(lines)


_CHANGED = re.compile(
    r"\b(?:no longer|not? .{0,40}any ?more|instead of|supersed\w+|replac\w+|obsolet\w+|"
    r"deprecat\w+|revert\w+|rather than|switched|changed? from|moved from|now|used to)\b",
    re.IGNORECASE,
)
_MARKS_REPLACED = 2


def supersedes(newer: str, older: str) -> bool:
    """Whether a later statement takes the place of an earlier one.

    It must say that something changed (`now`, `no longer`, `instead of`, `replaces` …), speak of
    the same thing (at least 80% of the earlier one's words) and replace one or two of its marks.
    """
    if not _CHANGED.search(newer):
        return False
    held, fact = facts_of(newer), facts_of(older)
    subject = fact.words - {"not"}
    if len(subject) < 2 or len(subject & held.words) < WORDS_KEPT * len(subject):
        return False
    return 0 < len(fact.marks - held.spoken) <= _MARKS_REPLACED


_ALSO = re.compile(r"^(?P<text>.*) \(also (?P<also>[^()]+)\)(?P<stop>[.!?]?)$", re.DOTALL)


def _told(said: Said) -> Told:
    """The statement, apart from the marks that an earlier merge noted at its end."""
    found = _ALSO.match(said.text)
    if not found:
        return Told(said, said.text)
    return Told(said, found["text"] + found["stop"], tuple(found["also"].split(", ")))


def _restates(base: Told, other: Told) -> bool:
    held, fact = base.facts, other.facts
    return (
        held.contrasts == fact.contrasts
        and keeps(held, fact)
        and all(keeps(held, facts_of(covered)) for covered in other.covers)
    )


def _added_marks(base: Told, other: Told) -> tuple[str, ...]:
    """The marks that `base` must note so that `other` need not be told; empty if it must be.

    Paths and dates can be noted beside others; a name or identifier only where `other` has all
    marks of `base`, since otherwise the two speak of different things; a number never, for beside
    another number it would be a riddle.
    """
    held, fact = base.facts, other.facts
    if held.contrasts != fact.contrasts or word_share(held, fact) < WORDS_KEPT:
        return ()
    notable = fact.paths | {number for number in fact.numbers if number.count("-") == 2}
    if held.marks <= fact.spoken:
        notable |= fact.identifiers | fact.names
    added = missing_marks(held, fact)
    if not added <= notable:
        return ()
    written = spellings(other.full)
    noted = tuple(written.get(mark, mark) for mark in sorted(added))
    whole = replace(base, also=(*base.also, *noted))
    return noted if _restates(whole, other) else ()
