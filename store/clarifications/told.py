"""What a session's start says of clarifications: what its agent was asked, what was answered."""

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
    owed = [it for it in known if it.is_waiting and it.asked == agent]
    asked = [it for it in known if it.asker == agent and issue in (None, it.issue)]
    answered = [it for it in asked if it.status == Status.ANSWERED]
    waiting = [it for it in asked if it.is_waiting or it.status == Status.ESCALATED]
    ended = [it for it in asked if it.resolved_at and now - it.resolved_at < _RECENT]
    lines = [
        *(line for it in owed for line in _owed(it)),
        *(line for it in answered for line in _answered(it)),
        *(f"- You wait for {_whom(it)} on {it.id}: {_short(it.topic)}" for it in waiting),
        *(f"- {it.id} was {it.status}: {_short(_end(it))}" for it in ended),
    ]
    shown = lines[:_MOST]
    if len(lines) > _MOST:
        shown.append(f"- and {len(lines) - _MOST} more: `memtui clarify`")
    return (TITLE, *shown) if lines else ()


def _owed(it: Clarification) -> Iterator[str]:
    waits = " (blocked until you answer)" if it.blocking else ""
    yield (
        f"- {it.asker}{waits} asks you on #{it.issue}: {_short(it.question)}"
        f" Answer: `memtui clarify answer {it.id} --from {it.asked} TEXT`"
    )


def _answered(it: Clarification) -> Iterator[str]:
    answer = it.last(EntryType.ANSWER)
    if answer is not None:
        yield (
            f"- {answer.by} answered {it.id} ({_short(it.topic)}): {_short(answer.body)}"
            f" If that settles it: `memtui clarify resolve {it.id} --from {it.asker}`"
        )


def _end(it: Clarification) -> str:
    end = it.last(EntryType.ANSWER) or it.last(EntryType.RESOLUTION)
    return f"{it.topic}: {end.body}" if end is not None else it.topic


def _whom(it: Clarification) -> str:
    return "a person" if it.status == Status.ESCALATED else it.asked


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1].rstrip()}…"
