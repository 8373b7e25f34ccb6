"""Clarifications in words: where one stands, what was said, and what the monitor found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from memtui.formatting import age, moment
from store.clarifications.model import EntryType, Status
from store.clarifications.monitor import Trouble
from store.text.display import visible

if TYPE_CHECKING:
    from store.clarifications.model import Clarification, Entry
    from store.clarifications.monitor import Due

_SIGNS: Mapping[str, str] = MappingProxyType({EntryType.QUESTION: "Q: ", EntryType.ANSWER: "A: "})


def heading(it: Clarification) -> str:
    """Heading of a clarification: `CLR-29-001 #29 API contract`."""
    return visible(f"{it.id} #{it.issue} {it.topic}", newlines=False)


def standing(it: Clarification, now: datetime) -> str:
    """Its state in words: `engineer waits for architect, 12m, blocked`."""
    waited = age(it.since, now).replace("now", "just now")
    if it.status == Status.ESCALATED:
        said = f"waits for a person, {waited}"
    elif it.is_waiting:
        said = f"{it.asker} waits for {it.asked}, {waited}"
    elif it.status == Status.ANSWERED:
        answer = it.last(EntryType.ANSWER)
        by = it.asked if answer is None else answer.by
        said = f"{by} answered, {it.asker} to resolve, {waited}"
    else:
        said = f"{it.status}, {waited}"
    facts = [said, *(["blocked"] if it.is_blocking else [])]
    if it.status == Status.STALE:
        facts.append("asked again")
    if it.gave_way_to:
        facts.append(f"gave way to {it.gave_way_to}")
    return visible(", ".join(facts), newlines=False)


def rounds(it: Clarification) -> str:
    """`round 2 of 5`."""
    return f"round {it.round} of {it.max_rounds}"


def speaker(it: Clarification, entry: Entry, now: datetime) -> str:
    """Speaker of an entry: `[Round 1] engineer -> architect (2026-02-27 10:00)`."""
    when = moment(entry.timestamp, now)
    if entry.type in (EntryType.QUESTION, EntryType.ANSWER):
        other = it.asked if entry.type == EntryType.QUESTION else it.asker
        said = f"[Round {entry.round}] {entry.by} -> {other} ({when})"
    else:
        said = f"[{_ending(it, entry)}] {entry.by} ({when})"
    return visible(said, newlines=False)


def said(entry: Entry) -> list[str]:
    """The lines of what was said, the first with its sign: `Q: `, `A: `."""
    first, *more = visible(entry.body).split("\n")
    sign = _SIGNS.get(entry.type, "")
    return [sign + first, *(" " * len(sign) + line for line in more)]


def thread_lines(it: Clarification, now: datetime) -> Iterator[str]:
    """A conversation as AgentX prints it (ADR-1)."""
    for entry in it.thread:
        yield speaker(it, entry, now)
        yield from (f"  {line}" for line in said(entry))


def due_in_words(due: Due) -> str:
    """A finding of the monitor, and its remedy."""
    it = due.before
    words = _FOUND[due.trouble].format(
        asker=it.asker,
        asked=it.asked,
        rounds=" and ".join(str(entry.round) for entry in due.answers),
        against=", ".join(other.id for other in due.against),
    )
    return visible(f"{it.id}: {words}", newlines=False)


_FOUND: Mapping[str, str] = MappingProxyType(
    {
        Trouble.LATE: "{asked} did not answer in time; asked again.",
        Trouble.LATE_AGAIN: "{asked} did not answer in time twice; escalated.",
        Trouble.STUCK: "the answers of rounds {rounds} say the same; escalated.",
        Trouble.DEADLOCK: "deadlock with {against}; {asker} is downstream and no longer blocks.",
    }
)


def _ending(it: Clarification, entry: Entry) -> str:
    """`RESOLVED`, `ABANDONED`, `ESCALATED`."""
    if entry.type == EntryType.RESOLUTION:
        abandoned = it.status == Status.ABANDONED and entry is it.thread[-1]
        return "ABANDONED" if abandoned else "RESOLVED"
    return "ESCALATED" if entry.type == EntryType.ESCALATION else entry.type.upper()
