"""The transitions of a clarification (ADR-1). Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from store.clarifications.model import Clarification, Entry, EntryType, Status
from store.clarifications.scope import Scope
from store.errors import InvalidObservation
from store.model import Category, Observation

_SHORTEST = timedelta(minutes=1)
RESOLVED = "Resolved."
"""The text of a resolution without one of its own."""
SOURCE = "clarification:"
"""How a source begins that is a clarification."""
_MOST = 9_999
"""Clarifications of one issue."""


class Question(NamedTuple):
    """A question to be asked: who asks whom, about what, and whether it waits for the answer."""

    asker: str
    asked: str
    topic: str
    body: str
    blocking: bool = False


def ask(
    existing: Sequence[Clarification], issue: int, question: Question, scope: Scope, now: datetime
) -> Clarification:
    """Return a question among the clarifications of an issue: a new one, or the next round of its
    thread.

    The thread of the same two agents and topic goes on while it is not settled. A question beyond
    the last round is put to a person instead. Raises `InvalidObservation` where the agent may not
    ask it, or the last one was not answered yet.
    """
    _check_scope(question, scope)
    before = _thread_of(existing, question)
    if before is None:
        return _begun(existing, issue, question, scope, now)
    if before.is_waiting:
        raise InvalidObservation(
            f"{before.id} still waits for an answer from {before.asked}.",
            "Wait for it, or escalate it.",
        )
    if before.round >= before.max_rounds:
        body = f"No agreement after {before.max_rounds} rounds. Still asked: {question.body}"
        return _entry(before, EntryType.ESCALATION, question.asker, body, now, Status.ESCALATED)
    following = replace(before, round=before.round + 1, stale_after=now + scope.sla)
    return _entry(following, EntryType.QUESTION, question.asker, question.body, now, Status.PENDING)


def answer(clarification: Clarification, by: str, body: str, now: datetime) -> Clarification:
    """Return the answer of the agent that was asked; anybody's once it was escalated."""
    if clarification.status != Status.ESCALATED:
        _check(clarification.is_waiting, clarification, "is not waiting for an answer")
        _check_speaker(clarification, by, clarification.asked, "answer")
    return _entry(clarification, EntryType.ANSWER, by, body, now, Status.ANSWERED)


def resolve(clarification: Clarification, by: str, body: str, now: datetime) -> Clarification:
    """The end of a clarification that was answered, by who asked; anybody's if it was escalated."""
    if clarification.status != Status.ESCALATED:
        _check(clarification.status == Status.ANSWERED, clarification, "has no answer yet")
        _check_speaker(clarification, by, clarification.asker, "resolve")
    ended = replace(clarification, resolved_at=now)
    return _entry(ended, EntryType.RESOLUTION, by, body or RESOLVED, now, Status.RESOLVED)


def escalate(clarification: Clarification, by: str, body: str, now: datetime) -> Clarification:
    _check(not clarification.is_settled, clarification, f"is {clarification.status}")
    _check(clarification.status != Status.ESCALATED, clarification, "is already escalated")
    return _entry(
        clarification, EntryType.ESCALATION, by, body or "Put to a person.", now, Status.ESCALATED
    )


def abandon(clarification: Clarification, by: str, body: str, now: datetime) -> Clarification:
    """Return a clarification that who asked no longer needs; anybody may once it was escalated."""
    _check(not clarification.is_settled, clarification, f"is {clarification.status}")
    if clarification.status != Status.ESCALATED:
        _check_speaker(clarification, by, clarification.asker, "abandon")
    ended = replace(clarification, resolved_at=now)
    return _entry(ended, EntryType.RESOLUTION, by, body or "Abandoned.", now, Status.ABANDONED)


def ask_again(clarification: Clarification, now: datetime) -> Clarification:
    """Return the question again, after it was not answered in time; its next limit is as long."""
    question = clarification.last(EntryType.QUESTION)
    asked_at = question.timestamp if question is not None else clarification.created
    again = replace(
        clarification, stale_after=now + max(clarification.stale_after - asked_at, _SHORTEST)
    )
    return _entry(
        again, EntryType.QUESTION, clarification.asker, clarification.question, now, Status.STALE
    )


def give_way(clarification: Clarification, to: Clarification) -> Clarification:
    """Return a clarification that no longer blocks who asked it, so that another is answered."""
    return replace(clarification, blocking=False, gave_way_to=to.id)


def decision_of(clarification: Clarification) -> Observation:
    """The decision that a resolved thread came to. Raises `InvalidObservation` for any other."""
    if clarification.status != Status.RESOLVED:
        raise InvalidObservation(
            f"{clarification.id} is {clarification.status}.",
            "Only a resolved one can become a decision.",
        )
    question, answer = clarification.last(EntryType.QUESTION), clarification.last(EntryType.ANSWER)
    end = clarification.last(EntryType.RESOLUTION)
    parts = [
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
        content="\n\n".join(parts),
        summary=f"{clarification.topic}: {settled.body}" if settled else clarification.topic,
        timestamp=clarification.updated,
        sources=(f"{SOURCE}{clarification.id}",),
    )


def _begun(
    existing: Sequence[Clarification], issue: int, question: Question, scope: Scope, now: datetime
) -> Clarification:
    started = Clarification(
        id=_next_id(existing, issue),
        issue=issue,
        asker=question.asker,
        asked=question.asked,
        topic=question.topic,
        blocking=question.blocking,
        status=Status.PENDING,
        round=1,
        max_rounds=scope.rounds(blocking=question.blocking),
        created=now,
        stale_after=now + scope.sla,
    )
    return _entry(started, EntryType.QUESTION, question.asker, question.body, now, Status.PENDING)


def _thread_of(existing: Iterable[Clarification], question: Question) -> Clarification | None:
    """The thread that a question goes on: of the same two, on the same topic, not settled."""
    wanted = (question.asker, question.asked, question.topic.casefold())
    for clarification in existing:
        same = (clarification.asker, clarification.asked, clarification.topic.casefold()) == wanted
        if same and not clarification.is_settled:
            is_escalated = clarification.status == Status.ESCALATED
            _check(not is_escalated, clarification, "is escalated and waits for a person")
            return clarification
    return None


def _next_id(existing: Iterable[Clarification], issue: int) -> str:
    """Return the next id, such as `CLR-29-003`: after the greatest number in the ledger."""
    prefix = f"CLR-{issue}-"
    tails = (
        clarification.id.removeprefix(prefix)
        for clarification in existing
        if clarification.id.startswith(prefix)
    )
    number = 1 + max((int(tail) for tail in tails if tail.isdecimal() and len(tail) < 9), default=0)
    if number > _MOST:
        raise InvalidObservation(f"Issue {issue} has {_MOST:,} clarifications.", "")
    return f"{prefix}{number:03d}"


def _check_scope(question: Question, scope: Scope) -> None:
    """Raise `InvalidObservation` for what the workflow does not let an agent ask."""
    if question.asker == question.asked:
        raise InvalidObservation(f"{question.asker} can't ask itself.", "Name another agent.")
    allowed = scope.can_clarify
    if allowed is not None and question.asked not in allowed:
        may = ", ".join(sorted(allowed)) or "nobody"
        raise InvalidObservation(
            f"Rejected: {question.asker} may not ask {question.asked}.",
            _fix(scope) or f"By its workflow (`can_clarify`) it may ask {may}.",
        )
    if question.blocking and not scope.blocking_allowed:
        raise InvalidObservation(
            f"Rejected: {question.asker} may not block on a question.",
            _fix(scope)
            or "Its workflow forbids it (`clarify_blocking_allowed`); ask without --blocking.",
        )


def _fix(scope: Scope) -> str:
    """Hint for where the strictest limits hold because of a workflow that can't be read."""
    return scope.unread and f"Fix {scope.unread}: until then the strictest limits hold."


def _check(holds: bool, clarification: Clarification, otherwise: str) -> None:
    if not holds:
        raise InvalidObservation(f"{clarification.id} {otherwise}.", "See `memtui clarify`.")


def _check_speaker(clarification: Clarification, by: str, speaker: str, verb: str) -> None:
    if by != speaker:
        raise InvalidObservation(
            f"Only {speaker} can {verb} {clarification.id}, not {by}.",
            "Once it is escalated, anyone can.",
        )


def _entry(
    clarification: Clarification, kind: EntryType, by: str, body: str, now: datetime, status: Status
) -> Clarification:
    entry = Entry(clarification.round, by, kind, body, now)
    return replace(clarification, status=status, thread=(*clarification.thread, entry))
