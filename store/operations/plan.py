"""Plans: what an operation would change, as a plain value that touches nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from store.action import Action
from store.backends.text_kinds import TextKind, text_path
from store.model import COUNTERS, Layout
from store.model import Location as Location
from store.notice import Notice
from store.records import DEFAULTS, LEVEL

Record = Mapping[str, Any]
"""An observation as it is in a file: camelCase keys, unknown ones included."""

GoesOn = Callable[[int, int], bool]
"""Called with how many are done, and of how many; False stops before the next."""

PROJECT, USER = "project", "user"
"""Where a file is approved: in one project, or for all of a user's."""
_SCORES = frozenset({"relevanceScore"})
"""Those that somebody may set; the others are counted."""


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after; `None` where it does not exist yet, or any more.

    `place` is how many records were before one that goes, so that an undo puts it back there.
    With `forget`, what was there is not kept in the journal (a secret is taken out for good).
    """

    location: Location
    issue: int
    id: str
    before: Record | None
    after: Record | None
    place: int | None = None
    forget: bool = False

    @property
    def records(self) -> list[Record]:
        """The record before and after, as far as there is one."""
        return [record for record in (self.before, self.after) if record is not None]

    @property
    def scores(self) -> frozenset[str]:
        """The counters of use that this change itself sets, as an edit of a score does."""
        if self.before is None or self.after is None:
            return frozenset()
        before, after = {**DEFAULTS, **self.before}, {**DEFAULTS, **self.after}
        return frozenset(score for score in _SCORES if before[score] != after[score])

    def inverse(self) -> Change:
        return Change(
            location=self.location,
            issue=self.issue,
            id=self.id,
            before=self.after,
            after=self.before,
            place=self.place,
            forget=self.forget,
        )


@dataclass(frozen=True, slots=True)
class Move:
    """A file that moves whole, its name relative to the store before and after."""

    source: str
    target: str

    def inverse(self) -> Move:
        return Move(self.target, self.source)


@dataclass(frozen=True, slots=True)
class TextChange:
    """A named text, such as a session's digest, before and after, as JSON; None
    where it does not exist yet, or any more.
    """

    kind: TextKind
    name: str
    before: Record | None
    after: Record | None

    @property
    def path(self) -> str:
        """Name for people: `sessions/<name>.json`."""
        return text_path(self.kind, self.name)

    def inverse(self) -> TextChange:
        return TextChange(self.kind, self.name, self.after, self.before)


@dataclass(frozen=True, slots=True)
class ClarificationChange:
    """A clarification's record in the ledger of its issue, before and after; None as above."""

    issue: int
    id: str
    before: Record | None
    after: Record | None

    def inverse(self) -> ClarificationChange:
        return ClarificationChange(self.issue, self.id, self.after, self.before)


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line that is added to an instruction file of the project, or taken out of it; `memory` is
    the id of the one that it is from.
    """

    path: str
    text: str
    memory: str
    is_added: bool = True

    def inverse(self) -> LineChange:
        return LineChange(self.path, self.text, self.memory, not self.is_added)


@dataclass(frozen=True, slots=True)
class FileChange:
    """Whole lines of a file that clients load, put in place of others; None for no file.

    Where it is `approved_in` the project or by the user for all, of what is kept of it as approved.

    It is known by its `name` for people. The lines come after so many others (`line`), with those
    `above` and `below` them: none at an end of the file. All texts are without secrets.
    """

    name: str
    before: str | None
    after: str | None
    above: str = ""
    below: str = ""
    line: int = 0
    approved_in: str = ""

    def inverse(self) -> FileChange:
        return replace(self, before=self.after, after=self.before)


class LayoutChange(NamedTuple):
    """The layout of records in files, before and after; no record changes."""

    before: Layout
    after: Layout


@dataclass(frozen=True, slots=True)
class Plan:
    """A set of changes, and the action that they are; `notes` are what people should know.

    Whole files move before records change; in the inverse of such a plan, after. `texts` change
    after the records do, then `clarifications`, `lines` and `files`, and the `layout` at last.
    """

    action: Action
    changes: tuple[Change, ...] = ()
    notes: tuple[Notice, ...] = ()
    moves: tuple[Move, ...] = ()
    moves_last: bool = False
    texts: tuple[TextChange, ...] = ()
    layout: LayoutChange | None = None
    clarifications: tuple[ClarificationChange, ...] = ()
    lines: tuple[LineChange, ...] = ()
    files: tuple[FileChange, ...] = ()

    @property
    def kind(self) -> str:
        return self.action.kind

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the observations that it changes, each once."""
        return tuple(dict.fromkeys(change.id for change in self.changes))

    @property
    def is_empty(self) -> bool:
        return not (self.changes or self.has_other_changes)

    @property
    def has_other_changes(self) -> bool:
        """The plan changes more than records."""
        others = (self.moves, self.texts, self.clarifications, self.lines, self.files)
        return any(others) or self.layout is not None

    def inverse(self) -> Plan:
        """Return the plan that takes this one back, last change first."""
        return Plan(
            self.action.inverse(),
            tuple(change.inverse() for change in reversed(self.changes)),
            moves=tuple(move.inverse() for move in reversed(self.moves)),
            moves_last=not self.moves_last,
            texts=tuple(text.inverse() for text in reversed(self.texts)),
            layout=self.layout and LayoutChange(*reversed(self.layout)),
            clarifications=tuple(
                clarification.inverse() for clarification in reversed(self.clarifications)
            ),
            lines=tuple(line.inverse() for line in reversed(self.lines)),
            files=tuple(file.inverse() for file in reversed(self.files)),
        )


def has_same_content(one: Record | None, other: Record | None) -> bool:
    """Return whether two records are equal but for the counters of their use.

    A field that one lacks is its default: a vault's text has no place for it. The level counts
    where both have one: an operation may be from when there was only one.
    """
    if one is None or other is None:
        return one is other
    levels = {one.get(LEVEL), other.get(LEVEL)} - {None}
    return len(levels) < 2 and _content(one) == _content(other)


def _content(record: Record) -> dict[str, Any]:
    return {k: v for k, v in {**DEFAULTS, **record}.items() if k not in COUNTERS and k != LEVEL}
