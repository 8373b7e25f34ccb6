"""What a session did with a memory, and what many sessions did."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from store.model import UNUSED, USED

LEAST_TOLD = 5
"""Sessions that a memory was given to, from which it is `UNUSED` where it was no use to any."""


class Kind(StrEnum):
    OPENED = "opened"
    CHANGED = "changed"
    RAN = "ran"
    READ = "read"
    """The agent asked for the whole of the memory by its id."""
    CAME_BACK = "came-back"
    """The error that the memory is about was met again: it was given in vain."""


class Evidence(NamedTuple):
    """Something that a session did: a file or command that the memory names, or its error.

    `failed`: the command did.
    """

    kind: Kind
    what: str
    failed: bool = False


class Outcome(NamedTuple):
    """What a session did with a memory of a category. `touched`: what the memory names came up at
    all, for whatever reason.
    """

    category: str
    evidence: tuple[Evidence, ...] = ()
    touched: bool = False

    @property
    def is_used(self) -> bool:
        return any(each.kind is not Kind.CAME_BACK for each in self.evidence)


class Counts(NamedTuple):
    """Sessions that a memory was given to, those that used it, those in which what it names came up
    at all, and those in which its error came back.
    """

    told: int = 0
    used: int = 0
    touched: int = 0
    came_back: int = 0

    @property
    def verdict(self) -> str:
        """Return `USED`, `UNUSED`, or nothing where neither is known yet."""
        if self.used:
            return USED
        return UNUSED if self.told >= LEAST_TOLD and not self.touched else ""

    def __add__(self, other: object) -> Counts:
        return (
            Counts(*map(sum, zip(self, other, strict=True))) if isinstance(other, Counts) else self
        )


def counts_of(outcome: Outcome) -> Counts:
    """Return what a session that was given a memory adds to its counts."""
    came_back = any(each.kind is Kind.CAME_BACK for each in outcome.evidence)
    return Counts(1, int(outcome.is_used), int(outcome.touched), int(came_back))
