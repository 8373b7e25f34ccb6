"""Remarks: what an agent's closing words teach beside what was done, point by point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from store.agents.session import Session
from store.agents.transcript import Message
from store.capture.candidate import Candidate, Known, passage_of
from store.capture.decisions.pasted_plans import lays_out_plan
from store.capture.findings.findings import wants_else
from store.capture.requests.request import Exchange, Request
from store.capture.steps.edited_files import is_known, writes
from store.capture.text.chatter import doubts, thinks
from store.capture.text.grounds import asked_below
from store.capture.text.points import CALLED, called_points, told_points
from store.model import Category
from store.text.content_words import content_words, covered
from store.text.regex import regex

_ASKS_WHICH = regex(r"\b(?:which|prefer|what do you)\b[^?\n]*\?\W*\Z")
"""Who asks which way to take has settled none."""
_TOLD = 0.6
"""The share of a point's words that another text has where it tells the point."""
_A_CLOSING, _OPENING = 200, 200
"""Characters of last words that tell what was done, and those in which a point is a guess."""
_MOST, _LONGEST = 4, 900
"""Points of one message, and characters of them."""


def remarks(
    session: Session, requests: Sequence[Request], known: Known, told: Sequence[str]
) -> Iterator[Candidate]:
    """A fact for each message that teaches something beside what is `told`: the last before a
    message of the person, and each that calls it so. What an earlier capture has read is left out.
    """
    words = [content_words(each) for each in told]
    steps = (step.call.line for step in session.steps if is_known(step, session, known))
    read = max(steps, default=0)
    for request in requests:
        for exchange in (it for it in request.exchanges if it.said and it.steps):
            last = _closing(exchange)
            for said in (it for it in exchange.said if it.line > read):
                points = _points_of(said, is_last=said is last)
                if not points or not _is_work(request, exchange, session.folder, points):
                    continue
                if news := _news(points, words):
                    words += map(content_words, news)
                    yield _candidate(session, said, request, news)


def _points_of(said: Message, *, is_last: bool) -> dict[str, int]:
    """The points of a message, each with how much it teaches; none where it plans, thinks or asks
    which way to take.
    """
    points = dict(told_points(said.text) if is_last else called_points(said.text))
    if not points or lays_out_plan(said.text):
        return {}
    return {} if thinks(said.text) or _ASKS_WHICH.search(said.text) else points


def _is_work(request: Request, exchange: Exchange, folder: str, points: dict[str, int]) -> bool:
    """Whether an exchange changed a file: else what was found out is told as that, unless it is
    called more, and something else was asked for.
    """
    if any(writes(step, folder) for step in exchange.steps):
        return True
    for point in [it for it, weight in points.items() if weight < CALLED]:
        del points[point]
    return bool(points) and not wants_else(request)


def _closing(exchange: Exchange) -> Message:
    """The last words of an exchange that say more than that it is done."""
    long = (it for it in reversed(exchange.said) if len(it.text) >= _A_CLOSING)
    return next(long, exchange.said[-1])


def _news(points: Mapping[str, int], known: Sequence[frozenset[str]]) -> list[str]:
    """Of points those that teach most and that nothing told, in their order."""
    weights = {
        point: weight
        for point, weight in points.items()
        if not doubts(point[:_OPENING])
        and not any(covered(content_words(point), it) >= _TOLD for it in known)
    }
    kept: set[str] = set()
    for point in sorted(weights, key=lambda it: -weights[it])[:_MOST]:
        if not kept or sum(map(len, kept)) + len(point) <= _LONGEST:
            kept.add(point)
    return [point for point in weights if point in kept]


def _candidate(
    session: Session, said: Message, request: Request, points: Sequence[str]
) -> Candidate:
    listed = points[0] if len(points) == 1 else "\n".join(f"- {each}" for each in points)
    return Candidate(
        category=Category.KEY_FACT,
        content=f"{listed}{asked_below(request.title)}",
        summary=points[0],
        line=said.line,
        at=said.at,
        passage=passage_of(said.text),
        marks=(session.mark(said.line),),
    )
