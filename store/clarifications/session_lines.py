"""What a session hears at its start: the questions to its agent, and the answers to its own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from store.clarifications.model import Clarification, EntryType, Status
from store.records import cut_line

TITLE = "Questions between agents:"
_MOST = 8
"""Clarifications that get a line; the rest are counted."""
_LONG = 400
"""Most characters of a question or an answer."""
_RECENT = timedelta(days=7)
"""How long a settled one is mentioned."""


def lines_for(
    agent: str, clarifications: Iterable[Clarification], issue: int | None, now: datetime
) -> tuple[str, ...]:
    """Lines in Markdown for an agent that starts on an issue; none where nothing concerns it.

    First what it owes an answer to, whatever the issue, then what it asked on this one.
    """
    known = list(clarifications)
    asked = [item for item in known if item.asker == agent and issue in (None, item.issue)]
    lines = [_owed(item) for item in known if item.is_waiting and item.asked == agent]
    lines += [_answered(item) for item in asked if item.status == Status.ANSWERED]
    lines += [
        f"- You wait for {_whom(item)} on {item.id}: {_short(item.topic)}"
        for item in asked
        if item.is_waiting or item.status == Status.ESCALATED
    ]
    lines += [
        f"- {item.id} was {item.status}: {_short(_end(item))}"
        for item in asked
        if item.resolved_at and now - item.resolved_at < _RECENT
    ]
    lines = list(filter(None, lines))
    shown = lines[:_MOST]
    if len(lines) > _MOST:
        shown.append(f"- and {len(lines) - _MOST} more: `memtui clarify`")
    return (TITLE, *shown) if lines else ()


def _owed(clarification: Clarification) -> str:
    waits = " (blocked until you answer)" if clarification.blocking else ""
    return (
        f"- {clarification.asker}{waits} asks you on #{clarification.issue}:"
        f" {_short(clarification.question)}"
        f" Answer: `memtui clarify answer {clarification.id} --from {clarification.asked} TEXT`"
    )


def _answered(clarification: Clarification) -> str:
    answer = clarification.last(EntryType.ANSWER)
    if answer is None:
        return ""
    return (
        f"- {answer.by} answered {clarification.id} ({_short(clarification.topic)}):"
        f" {_short(answer.body)} If that settles it:"
        f" `memtui clarify resolve {clarification.id} --from {clarification.asker}`"
    )


def _end(clarification: Clarification) -> str:
    end = clarification.last(EntryType.ANSWER) or clarification.last(EntryType.RESOLUTION)
    return f"{clarification.topic}: {end.body}" if end is not None else clarification.topic


def _whom(clarification: Clarification) -> str:
    return "a person" if clarification.status == Status.ESCALATED else clarification.asked


def _short(text: str) -> str:
    return cut_line(text, _LONG)
