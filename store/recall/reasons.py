"""Reasons why a candidate of a recall is in its text or out of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """What decides whether a candidate is in or out; the sentences for users are in
    `memtui.words.recall`.
    """

    # In.
    PINNED = "pinned"
    RELEVANT = "relevant"
    """It answers the words asked, or a seed's profile ranks it high enough."""
    RULE = "rule"
    LAST_SESSION = "last-session"
    TOUCHES = "touches"
    """It is about what the branch changes, or of the issue asked for."""
    WORKFLOW = "workflow"
    """It says how the project is worked on."""
    OPEN = "open"

    # Out: refused.
    MUTED = "muted"
    INJECTED = "already-injected"
    OWN = "own-session"
    """It comes from the session that is asked for."""

    # Out: something else says it.
    SUMMED_UP = "summed-up"
    REPEATED = "repeated"
    CONTRADICTED = "contradicted"
    SUPERSEDED = "superseded"
    """A newer one has other figures."""
    REPLACED = "replaced"
    IN_PROMPT = "in-prompt"
    IN_INSTRUCTIONS = "in-instructions"

    # Out: of no use here.
    NOT_ABOUT = "not-about"
    OTHER_BRANCH = "other-branch"
    GONE = "gone"
    """It names code that is gone, and little else."""
    NOT_AMONG_BEST = "not-among-best"
    """Only so many are told, and others rank higher."""

    # Out: no room.
    TOO_LONG = "too-long"
    BUDGET_FULL = "budget-full"


CONTRADICTIONS = frozenset({Verdict.CONTRADICTED, Verdict.SUPERSEDED, Verdict.REPLACED})
"""Why an earlier one of two that can't both hold is not told, in every profile."""


class Reason(NamedTuple):
    """A verdict; `by` is the shortest ending of the id of the memory it gives way to, or the name
    that is gone. `needs` and `left` are in `unit`: tokens, or what else the channel counts.
    """

    verdict: Verdict
    by: str = ""
    needs: int = 0
    left: int = 0
    unit: str = "tokens"
