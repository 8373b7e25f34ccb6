"""What is told of clarifications: lines for a session's start, and a decision to be kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from store.clarifications.model import Clarification, EntryType, Status
from store.clarifications.rules import RESOLVED
from store.errors import InvalidObservation
from store.model import Category, Observation

SOURCE = "clarification:"
"""How a source begins that is a clarification."""


def decision_of(clarification: Clarification) -> Observation:
    """The decision that a resolved thread came to. Raises `InvalidObservation` for any other."""
    if clarification.status != Status.RESOLVED:
        raise InvalidObservation(
            f"{clarification.id} is {clarification.status}.",
            "Only a resolved one can become a decision.",
        )
    question, answer = clarification.last(EntryType.QUESTION), clarification.last(EntryType.ANSWER)
    end = clarification.last(EntryType.RESOLUTION)
    said = [
        clarification.topic,
        *([f"{question.by} asked: {question.body}"] if question else []),
        *([f"{answer.by} answered: {answer.body}"] if answer else []),
        *([f"Resolved: {end.body}"] if end and end.body != RESOLVED else []),
    ]
    settled = answer or end
    return Observation(
        agent=settled.by if settled else clarification.asked,
        issue_number=clarification.issue,
        category=Category.DECISION,
        content="\n\n".join(said),
        summary=f"{clarification.topic}: {settled.body}" if settled else clarification.topic,
        timestamp=clarification.updated,
        sources=(f"{SOURCE}{clarification.id}",),
    )


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
    asked = [each for each in known if each.asker == agent and issue in (None, each.issue)]
    lines = [_owed(each) for each in known if each.is_waiting and each.asked == agent]
    lines += [_answered(each) for each in asked if each.status == Status.ANSWERED]
    lines += [
        f"- You wait for {_whom(each)} on {each.id}: {_short(each.topic)}"
        for each in asked
        if each.is_waiting or each.status == Status.ESCALATED
    ]
    lines += [
        f"- {each.id} was {each.status}: {_short(_end(each))}"
        for each in asked
        if each.resolved_at and now - each.resolved_at < _RECENT
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
    line = " ".join(text.split())
    return line if len(line) <= _LONG else f"{line[: _LONG - 1].rstrip()}…"
