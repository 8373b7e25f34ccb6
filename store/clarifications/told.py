"""Lines about clarifications for a session's start: questions to its agent, and answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from store.clarifications.model import Clarification, EntryType, Status

TITLE = "Questions between agents:"
_MOST = 8
"""Clarifications that are told; the rest are counted."""
_LONG = 400
"""Characters of a question or an answer that are told."""
_RECENT = timedelta(days=7)
"""How long what came to its end is told."""


def told_to(
    agent: str, clarifications: Iterable[Clarification], issue: int | None, now: datetime
) -> tuple[str, ...]:
    """Lines in Markdown for an agent that starts on an issue; none where nothing concerns it.

    First what it owes an answer to, whatever the issue, then what it asked on this one.
    """
    known = list(clarifications)
    owed = [
        clarification
        for clarification in known
        if clarification.is_waiting and clarification.asked == agent
    ]
    asked = [
        clarification
        for clarification in known
        if clarification.asker == agent and issue in (None, clarification.issue)
    ]
    answered = [clarification for clarification in asked if clarification.status == Status.ANSWERED]
    waiting = [
        clarification
        for clarification in asked
        if clarification.is_waiting or clarification.status == Status.ESCALATED
    ]
    ended = [
        clarification
        for clarification in asked
        if clarification.resolved_at and now - clarification.resolved_at < _RECENT
    ]
    lines = [
        *(line for clarification in owed for line in _owed(clarification)),
        *(line for clarification in answered for line in _answered(clarification)),
        *(
            f"- You wait for {_whom(clarification)} on {clarification.id}:"
            f" {_short(clarification.topic)}"
            for clarification in waiting
        ),
        *(
            f"- {clarification.id} was {clarification.status}: {_short(_end(clarification))}"
            for clarification in ended
        ),
    ]
    shown = lines[:_MOST]
    if len(lines) > _MOST:
        shown.append(f"- and {len(lines) - _MOST} more: `memtui clarify`")
    return (TITLE, *shown) if lines else ()


def _owed(clarification: Clarification) -> Iterator[str]:
    waits = " (blocked until you answer)" if clarification.blocking else ""
    yield (
        f"- {clarification.asker}{waits} asks you on #{clarification.issue}:"
        f" {_short(clarification.question)}"
        f" Answer: `memtui clarify answer {clarification.id} --from {clarification.asked} TEXT`"
    )


def _answered(clarification: Clarification) -> Iterator[str]:
    answer = clarification.last(EntryType.ANSWER)
    if answer is not None:
        yield (
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
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1].rstrip()}…"
