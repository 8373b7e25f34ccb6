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
    statements,
    word_share,
)
from store.text.normalise import root


class Said(NamedTuple):
    """A statement as one observation made it. `label` introduces it when it is told."""

    text: str
    by: str
    on: datetime
    label: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A statement that the merged text makes, its facts, and the statements that it covers."""

    said: Said
    facts: Facts
    covers: tuple[str, ...] = ()


class Dropped(NamedTuple):
    """A statement that is not told, since another one says it or has taken its place."""

    said: Said
    instead: Said
    superseded: bool


@dataclass(slots=True)
class Telling:
    """The statements told so far, and those that need not be.

    `lasting` says that they claim to be true still (decisions, facts, procedures), so that a later
    one can take an earlier one's place; events stay true. `share` is the share of a statement's
    words (0 to 1) that another must have to say it too.
    """

    lasting: bool
    share: float = WORDS_KEPT
    told: list[Told] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def copy(self) -> Telling:
        """A telling that can go on without changing this one."""
        return Telling(self.lasting, self.share, list(self.told), list(self.dropped))

    def tell(self, said: Said) -> None:
        """Add a statement, unless one told already says it or, being later, has taken its place.

        A statement that says all of one told before, and more, is told instead of that one.
        """
        new = Told(said, facts_of(said.text))
        for index, held in enumerate(self.told):
            if _is_restatement(held, new, self.share):
                self._fold(index, held, new)
            elif _is_restatement(new, held, self.share):
                self._fold(index, new, held)
            elif self.lasting and said.on < held.said.on and supersedes(held.facts, new.facts):
                self.dropped.append(Dropped(said, held.said, superseded=True))
            else:
                continue
            return
        self.told.append(new)

    def _fold(self, index: int, base: Told, other: Told) -> None:
        covers = dict.fromkeys((*base.covers, other.said.text, *other.covers))
        self.told[index] = replace(base, covers=tuple(covers))
        self.dropped.append(Dropped(other.said, base.said, superseded=False))


def statements_by(by: str, text: str, on: datetime, label: str = "") -> list[Said]:
    """The statements of a text, as the observation `by` made them then."""
    return [Said(statement, by, on, label) for statement in statements(text)]


def statement_lines(told: list[Told]) -> str:
    """The statements told, a line for each; a label that several share is said once."""
    lines: list[str] = []
    label = ""
    for one in told:
        said = one.said
        lines.append(said.text if said.label == label else said.label + said.text)
        label = said.label
    return "\n".join(lines)


_CHANGE_WORDS = frozenset(
    {"now", "longer", "anymore", "instead", "formerly", "previously", "obsolete"}
    | {"replace", "replaces", "replaced", "replacing", "supersede", "supersedes", "superseded"}
    | {"deprecated", "reverted", "switched", "rather"}
)
_MARKS_REPLACED = 2


def has_change_words(facts: Facts) -> bool:
    """Whether a text says that something is no longer as it was (`now`, `instead` …)."""
    return not facts.spoken.isdisjoint(_CHANGE_WORDS)


def supersedes(newer: Facts, older: Facts) -> bool:
    """A later statement takes the place of an earlier one.

    It must say that something changed, replace one or two marks of the earlier one, and speak of
    the same thing: at least 80% of its other words.
    """
    replaced = older.marks - newer.spoken
    subject = older.words - {"not"} - {root(mark) for mark in replaced}
    return (
        has_change_words(newer)
        and 0 < len(replaced) <= _MARKS_REPLACED
        and len(subject) > 1
        and len(subject & newer.words) >= WORDS_KEPT * len(subject)
    )


_FEW_WORDS = 4
_CODE = re.compile(r"`([^`\n]+)`")


def has_code_of(held: str, other: str) -> bool:
    """Whether a text holds, word for word, each command or name that another shows as code."""
    return all(code in held for code in _CODE.findall(other))


def _is_restatement(base: Told, other: Told, share: float) -> bool:
    """Whether `base` says all that `other` does, and what `other` covers.

    Of a statement of few words each counts, so that only one in the same words says it too.
    """
    held, fact = base.facts, other.facts
    return (
        held.contrasts == fact.contrasts
        and keeps(held, fact)
        and word_share(held, fact) >= share
        and (len(fact.words) >= _FEW_WORDS or bool(fact.marks) or held.words == fact.words)
        and has_code_of(base.said.text, other.said.text)
        and all(keeps(held, facts_of(covered)) for covered in other.covers)
    )
