"""Clarifications in words: their state, their threads, and what the monitor found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from memtui.formatting import age, moment
from store.clarifications.model import Clarification, Entry, EntryType, Status
from store.clarifications.monitor import Due, Trouble
from store.text.display import visible

_SIGNS: Mapping[str, str] = MappingProxyType({EntryType.QUESTION: "Q: ", EntryType.ANSWER: "A: "})
_FOUND: Mapping[str, str] = MappingProxyType(
    {
        Trouble.LATE: "{asked} did not answer in time; asked again.",
        Trouble.LATE_AGAIN: "{asked} did not answer in time twice; escalated.",
        Trouble.STUCK: "the answers of rounds {rounds} say the same; escalated.",
        Trouble.DEADLOCK: "deadlock with {against}; {asker} is downstream and no longer blocks.",
    }
)


def heading(clarification: Clarification) -> str:
    """Return the heading of a clarification: `CLR-29-001 #29 API contract`."""
    return visible(
        f"{clarification.id} #{clarification.issue} {clarification.topic}", newlines=False
    )


def state_in_words(clarification: Clarification, now: datetime) -> str:
    """Return its state in words: `engineer waits for architect, 12m, blocked`."""
    waited = age(clarification.since, now).replace("now", "just now")
    if clarification.status == Status.ESCALATED:
        words = f"waits for a person, {waited}"
    elif clarification.is_waiting:
        words = f"{clarification.asker} waits for {clarification.asked}, {waited}"
    elif clarification.status == Status.ANSWERED:
        answer = clarification.last(EntryType.ANSWER)
        by = clarification.asked if answer is None else answer.by
        words = f"{by} answered, {clarification.asker} to resolve, {waited}"
    else:
        words = f"{clarification.status}, {waited}"
    facts = [words, *(["blocked"] if clarification.is_blocking else [])]
    if clarification.status == Status.STALE:
        facts.append("asked again")
    if clarification.gave_way_to:
        facts.append(f"gave way to {clarification.gave_way_to}")
    return visible(", ".join(facts), newlines=False)


def rounds(clarification: Clarification) -> str:
    return f"round {clarification.round} of {clarification.max_rounds}"


def speaker(clarification: Clarification, entry: Entry, now: datetime) -> str:
    """Return the speaker of an entry: `[Round 1] engineer -> architect (2026-02-27 10:00)`."""
    when = moment(entry.timestamp, now)
    if entry.type in (EntryType.QUESTION, EntryType.ANSWER):
        other = clarification.asked if entry.type == EntryType.QUESTION else clarification.asker
        words = f"[Round {entry.round}] {entry.by} -> {other} ({when})"
    else:
        words = f"[{_ending(clarification, entry)}] {entry.by} ({when})"
    return visible(words, newlines=False)


def entry_lines(entry: Entry) -> list[str]:
    """Return the lines of an entry's text, the first with its sign: `Q: `, `A: `."""
    first, *more = visible(entry.body).split("\n")
    sign = _SIGNS.get(entry.type, "")
    return [sign + first, *(" " * len(sign) + line for line in more)]


def thread_lines(clarification: Clarification, now: datetime) -> Iterator[str]:
    """Yield a conversation as AgentX prints it (ADR-1)."""
    for entry in clarification.thread:
        yield speaker(clarification, entry, now)
        yield from (f"  {line}" for line in entry_lines(entry))


def due_in_words(due: Due) -> str:
    clarification = due.before
    words = _FOUND[due.trouble].format(
        asker=clarification.asker,
        asked=clarification.asked,
        rounds=" and ".join(str(entry.round) for entry in due.answers),
        against=", ".join(other.id for other in due.against),
    )
    return visible(f"{clarification.id}: {words}", newlines=False)


def _ending(clarification: Clarification, entry: Entry) -> str:
    if entry.type == EntryType.RESOLUTION:
        abandoned = clarification.status == Status.ABANDONED and entry is clarification.thread[-1]
        return "ABANDONED" if abandoned else "RESOLVED"
    return "ESCALATED" if entry.type == EntryType.ESCALATION else entry.type.upper()
