"""Several texts merged into one: what is in two of them is written once, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from store.compaction.model import LeftOut
from store.text.facts import WORDS_KEPT, Facts, facts_of, keeps, statements, word_share
from store.text.normalise import root

_CHANGE_WORDS = frozenset(
    {"now", "longer", "anymore", "instead", "formerly", "previously", "obsolete"}
    | {"replace", "replaces", "replaced", "replacing", "supersede", "supersedes", "superseded"}
    | {"deprecated", "reverted", "switched", "rather"}
)
_MARKS_REPLACED = 2
_FEW_WORDS = 4
_CODE = re.compile(r"`([^`\n]+)`")


class Statement(NamedTuple):
    """A statement of the observation `by`. `label` introduces it in the merged text."""

    text: str
    by: str
    on: datetime
    label: str = ""


@dataclass(frozen=True, slots=True)
class Carried:
    """A statement that the merged text makes, its facts, and the statements that it covers."""

    statement: Statement
    facts: Facts
    covers: tuple[str, ...] = ()


@dataclass(slots=True)
class MergedText:
    """The statements that a merged text makes so far, and those that it need not make.

    `lasting` says that they claim to be true still (decisions, facts, procedures), so that a later
    one can take an earlier one's place; events stay true. `share` is the share of a statement's
    words (0 to 1) that another must have to say it too.
    """

    lasting: bool
    share: float = WORDS_KEPT
    carried: list[Carried] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def with_all(self, added: Sequence[Statement]) -> MergedText:
        """The merged text with more statements, newer ones first; this one does not change."""
        longer = MergedText(self.lasting, self.share, list(self.carried), list(self.left_out))
        for statement in added:
            longer._add(statement)
        return longer

    def lines(self) -> str:
        """Return a line for each statement; a label that several share is written once."""
        lines: list[str] = []
        label = ""
        for one in self.carried:
            text = one.statement.text
            lines.append(text if one.statement.label == label else one.statement.label + text)
            label = one.statement.label
        return "\n".join(lines)

    def _add(self, statement: Statement) -> None:
        """Add a statement, unless another already says it or, being later, has taken its place.

        One that says all of another, and more, is carried instead of that one.
        """
        new = Carried(statement, facts_of(statement.text))
        for index, held in enumerate(self.carried):
            if _is_restatement(held, new, self.share):
                self._fold(index, held, new)
            elif _is_restatement(new, held, self.share):
                self._fold(index, new, held)
            elif (
                self.lasting
                and statement.on < held.statement.on
                and supersedes(held.facts, new.facts)
            ):
                self._leave_out(statement, held.statement, superseded=True)
            else:
                continue
            return
        self.carried.append(new)

    def _fold(self, index: int, base: Carried, other: Carried) -> None:
        covers = dict.fromkeys((*base.covers, other.statement.text, *other.covers))
        self.carried[index] = replace(base, covers=tuple(covers))
        self._leave_out(other.statement, base.statement, superseded=False)

    def _leave_out(self, statement: Statement, instead: Statement, *, superseded: bool) -> None:
        self.left_out.append(
            LeftOut(
                observation_id=statement.by,
                statement=statement.text,
                instead=instead.text,
                superseded=superseded,
            )
        )


def statements_by(by: str, text: str, on: datetime, label: str = "") -> list[Statement]:
    """Return the statements of a text, as the observation `by` made them then."""
    return [Statement(statement, by, on, label) for statement in statements(text)]


def supersedes(newer: Facts, older: Facts) -> bool:
    """Return whether a later statement takes the place of an earlier one.

    It must name a change (`now`, `instead` …), replace one or two marks of the earlier
    one, and speak of the same thing: at least 80% of its other words.
    """
    replaced = older.marks - newer.spoken
    subject = older.words - {"not"} - {root(mark) for mark in replaced}
    return (
        not newer.spoken.isdisjoint(_CHANGE_WORDS)
        and 0 < len(replaced) <= _MARKS_REPLACED
        and len(subject) > 1
        and len(subject & newer.words) >= WORDS_KEPT * len(subject)
    )


def has_code_of(held: str, other: str) -> bool:
    """True if a text holds, word for word, each command or name that another shows as code."""
    return all(code in held for code in _CODE.findall(other))


def _is_restatement(base: Carried, other: Carried, share: float) -> bool:
    """Return whether `base` says all that `other` does, and what `other` covers.

    Of a statement of few words each counts, so that only one in the same words says it too.
    """
    held, fact = base.facts, other.facts
    return (
        held.contrasts == fact.contrasts
        and keeps(held, fact)
        and word_share(held, fact) >= share
        and (len(fact.words) >= _FEW_WORDS or bool(fact.marks) or held.words == fact.words)
        and has_code_of(base.statement.text, other.statement.text)
        and all(keeps(held, facts_of(covered)) for covered in other.covers)
    )
