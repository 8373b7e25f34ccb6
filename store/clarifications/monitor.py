"""Overdue questions, circles and deadlocks, and their remedies (ADR-1). Pure: takes `now`.

There is no daemon: it runs when somebody looks, and in hooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple

from store.clarifications.model import OPEN, Clarification, Entry, EntryType, Status
from store.clarifications.rules import ask_again, escalate, give_way
from store.clarifications.scope import Workflows
from store.records import cut_line
from store.text.facts import facts_of
from store.text.similarity import similarity

IN_CIRCLES = 90.0
"""The similarity from which two answers are the same; higher than for near duplicates, since
answers to questions on one topic share most of their words.
"""
_QUOTED = 240
"""Characters that are quoted of an answer."""
MONITOR = "memtui"
"""Who speaks in a thread where nobody did."""


class Trouble(StrEnum):
    LATE = "late"
    """Not answered in time: it is asked again."""
    LATE_AGAIN = "late-again"
    """Not answered in time twice: it is escalated."""
    STUCK = "stuck"
    """Its answers repeat: it is escalated."""
    DEADLOCK = "deadlock"
    """Who asked and who was asked wait for each other: upstream wins."""


class Due(NamedTuple):
    """A clarification in trouble, before and after the remedy. `answers` are two that repeat;
    `against` are the others of a deadlock.
    """

    trouble: Trouble
    before: Clarification
    after: Clarification
    answers: tuple[Entry, ...] = ()
    against: tuple[Clarification, ...] = ()


class AgentState(StrEnum):
    """The state that clarifications put an agent in; blocked takes precedence."""

    CLARIFYING = "clarifying"
    BLOCKED = "blocked-clarification"


def examine(
    clarifications: Sequence[Clarification], workflows: Workflows, now: datetime
) -> list[Due]:
    """Find what is wrong at `now`, at most one finding for each clarification."""
    found = _deadlocks(clarifications, workflows)
    known = {(finding.before.issue, finding.before.id) for finding in found}
    for clarification in clarifications:
        if clarification.status in OPEN and (clarification.issue, clarification.id) not in known:
            finding = _stuck(clarification, now) or _late(clarification, now)
            if finding is not None:
                found.append(finding)
    return found


def circles(clarification: Clarification) -> tuple[Entry, ...]:
    """Return the last answer and the earlier one that it repeats; nothing where it is new."""
    answers = [entry for entry in clarification.thread if entry.type == EntryType.ANSWER]
    for earlier in reversed(answers[:-1]):
        last = answers[-1]
        if earlier.round != last.round and _are_same(last.body, earlier.body):
            return earlier, last
    return ()


def _are_same(one: str, other: str) -> bool:
    """Compare two answers: alike in words, and with the same numbers."""
    if similarity(one, other) < IN_CIRCLES:
        return False
    first, second = facts_of(one), facts_of(other)
    # Names are left out: all of a text that is written in capitals is one.
    kinds = ("numbers", "dates", "paths", "identifiers", "contrasts")
    return all(getattr(first, kind) == getattr(second, kind) for kind in kinds)


def agent_states(clarifications: Iterable[Clarification]) -> dict[str, AgentState]:
    """Return the agents that wait for an answer, or owe one."""
    states: dict[str, AgentState] = {}
    for clarification in clarifications:
        if clarification.is_waiting:
            states.setdefault(clarification.asked, AgentState.CLARIFYING)
            if clarification.blocking:
                states[clarification.asker] = AgentState.BLOCKED
    return states


def _late(clarification: Clarification, now: datetime) -> Due | None:
    if not clarification.is_waiting or now <= clarification.stale_after:
        return None
    if clarification.status == Status.PENDING:
        return Due(Trouble.LATE, clarification, ask_again(clarification, now))
    body = f"{clarification.asked} did not answer in time, asked twice."
    return Due(Trouble.LATE_AGAIN, clarification, escalate(clarification, MONITOR, body, now))


def _stuck(clarification: Clarification, now: datetime) -> Due | None:
    pair = circles(clarification)
    if not pair:
        return None
    rounds = " and ".join(str(entry.round) for entry in pair)
    quoted = " / ".join(f"“{cut_line(entry.body, _QUOTED)}”" for entry in pair)
    body = f"The answers of rounds {rounds} say the same: {quoted}"
    return Due(Trouble.STUCK, clarification, escalate(clarification, MONITOR, body, now), pair)


def _deadlocks(clarifications: Sequence[Clarification], workflows: Workflows) -> list[Due]:
    """Of each ring of agents that wait for one another, the question of the one furthest
    downstream, which gives way.
    """
    waits: dict[str, list[Clarification]] = {}
    for clarification in sorted(clarifications, key=lambda item: (item.created, item.id)):
        if clarification.is_blocking:
            waits.setdefault(clarification.asker, []).append(clarification)
    found = []
    while ring := _ring(waits):
        loser = ring[0]
        for other in ring[1:]:
            if workflows.is_upstream(loser.asker, other.asker) or (
                # Neither is upstream: the older question wins.
                not workflows.is_upstream(other.asker, loser.asker)
                and other.created > loser.created
            ):
                loser = other
        others = tuple(clarification for clarification in ring if clarification is not loser)
        found.append(Due(Trouble.DEADLOCK, loser, give_way(loser, others[0]), (), others))
        waits[loser.asker].remove(loser)
    return found


def _ring(waits: Mapping[str, Sequence[Clarification]]) -> list[Clarification]:
    """Return blocking clarifications, each asked to who asked the next; empty for none."""
    owed = {asker: [question.asked for question in asked] for asker, asked in waits.items()}
    try:
        TopologicalSorter(owed).prepare()
    except CycleError as error:
        asked_last: list[str] = error.args[1]  # each agent is waited for by the next one
        return [
            next(question for question in waits[asker] if question.asked == asked)
            for asked, asker in reversed(list(pairwise(asked_last)))
        ]
    return []
