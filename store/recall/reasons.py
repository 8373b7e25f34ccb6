"""Why a candidate of a recall is in its text or out of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What decides whether a candidate is in or out."""

    RELEVANT = "relevant"
    """In: for its score."""
    PINNED = "pinned"
    """In: before everything else."""
    MUTED = "muted"
    INJECTED = "already-injected"
    OWN = "own-session"
    """It comes from the session that is asked for."""
    KEPT_AS = "kept-as"
    """A memory keeps it."""
    SUMMED_UP = "summed-up"
    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    SUPERSEDED = "superseded"
    """A newer one has other figures."""
    REPLACED = "replaced"
    PINS_FULL = "pins-full"
    """Pinned, but other pins fill their share of the room."""
    NOT_AMONG_BEST = "not-among-best"
    """The profile tells only so many of its category, and others rank higher."""
    TOO_LONG = "too-long"
    """It takes more than was left."""
    BUDGET_FULL = "budget-full"


class Reason(NamedTuple):
    """A verdict; `by` is the shortest ending of the id of the memory it gives way to.

    `needs` and `left` are in `unit`: tokens, or what else the channel counts.
    """

    verdict: Verdict
    by: str = ""
    needs: int = 0
    left: int = 0
    unit: str = "tokens"
