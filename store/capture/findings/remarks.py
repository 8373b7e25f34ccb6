"""Remarks: what messages teach beside what is told otherwise, by what each sentence is worth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import exp
from typing import NamedTuple

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, Known, passage_of, shorten
from store.capture.decisions.pasted_plans import is_plan, lays_out_plan
from store.capture.findings.findings import is_of_git
from store.capture.requests.request import Request, is_brief
from store.capture.requests.rulings import settles
from store.capture.steps.edited_files import is_known
from store.capture.text.chatter import doubts, is_aside, is_progress, thinks
from store.capture.text.facts import teaches
from store.capture.text.grounds import asked_below
from store.capture.text.prose import announces, capital, leans, sentences, stopped
from store.capture.text.value import Sentence, sentences_in, value_of
from store.capture.text.worth import is_found_out
from store.model import Category
from store.text.content_words import content_words, covered
from store.text.regex import regex

_OPENS, _JOINS = -0.3, -1.0
"""What a sentence is worth from which it makes a point, and joins one: of six pairs that were tried
over 334 sessions these kept most of what was marked as important.
"""
_ENOUGH = {Category.KEY_FACT: 1.2, Category.DECISION: 0.9}
"""Sentences that a reader would mark, as far as their values tell, in what is worth a memory."""
_EVENLY, _TAUGHT = 0.35, 4
"""What its points must be worth on average, and teach together: of 11 remarks that were judged by
eye and are worth less, 3 were wanted, and half of the others; of 71 remarks of 57 other sessions 26
of the 47 that teach so much, and 6 of the others.
"""
_TOLD = 0.6
"""The share of a point's words that another text has where it tells the point."""
_MOST = 3
"""Remarks of a session: who thinks aloud for hours about a design settles little. Of 345 remarks of
334 sessions it leaves out 41, with 6 of the 542 important things that were kept.
"""
_MOST_POINTS, _LONGEST_POINT, _LONGEST = 4, 420, 1_000
"""Points of a request, characters of each and of all."""
_SHORTEST, _FEW_WORDS = 60, 6
"""Characters of a message that teaches something, and words of a point that does."""
_OUT = 2
"""What a sentence teaches by saying what was found out."""
_NOTHING, _OF_GIT = -9.0, 1
"""What a sentence is worth that says how far the agent is; and words about a checkout that it may
have.
"""
_GOES_ON = regex(
    r"\bI(?:['’]ll|(?:['’]m| am)(?: \w+)? \w+ing)\b"
    r"|\bI(?:['’]ve)? (?:(?:also|just|then|already|intentionally|have|did|do|could)(?:n['’]t"
    r"| not)? )*(?:\w+ed|found|sent|made|won['’]t|need|can(?:['’]t|not)?|see|saw)\b"
    r"|\b(?:is|are) still (?:\w+ing\b|blocked)|\bhas not \w+ed\b.{0,40}\byet\b"
    r"|\bstraightforward\b|\A(?i:not yet|if it|the goal is|good|great|perfect)\b"
)
"""What the agent did, is about to do, or at, and how easy it is: true for a moment."""
_FOUND = regex(
    r"I(?:['’]ve)? (?:also |just )?(?:found|confirmed|spotted) (?:the |a |an |one )"
    r"(?:[\w-]+ ){0,3}(?:issue|problem|cause|bug|gap|reason|path)\b[^:.]{0,60}: (?=\S)"
)
"""What leads to what was found."""
_GRADE = regex(r"\W*(?:critical|high|medium|low)\b[^\w`]+(?=\S)", re.I)
"""How bad it is that something was found."""
_DRAFT = regex(r"\W*>")
"""A text that was proposed, cited: who wrote the final one has it."""


class _Point(NamedTuple):
    """A paragraph or item as far as it is worth something: how much its best sentence is, how many
    of its sentences a reader would mark, how much one of them teaches, and the message it stands
    in.
    """

    text: str
    value: float
    marked: float
    taught: int
    said: Message


def remarks(
    session: Session, requests: Sequence[Request], known: Known, told: Sequence[str]
) -> Iterator[Candidate]:
    """A decision for each request in which the person laid down something beside what is `told`,
    and a fact for each in which the agent taught something.

    Of two messages that say the same the later counts: it is how it was settled. What an earlier
    capture has read is left out.
    """
    words = [content_words(each) for each in told]
    steps = (step.call.line for step in session.steps if is_known(step, session, known))
    read = max(steps, default=0)
    found: list[tuple[float, Candidate]] = []
    for request in reversed(requests):
        asked = [it.asked for it in request.exchanges if it.asked]
        for category, messages in ((Category.KEY_FACT, request.said), (Category.DECISION, asked)):
            unread = [
                it for it in messages
                if it.line > read and session.mark(it.line) not in known.marks
                and len(it.text) >= _SHORTEST
            ]  # fmt: skip
            points = _best(_news(unread, request, words))
            marked = sum(each.marked for each in points)
            is_taught = category == Category.DECISION or _teach_enough(points)
            if is_taught and _is_even(points) and marked >= _ENOUGH[category]:
                found.insert(0, (marked, _candidate(session, request.title, category, points)))
    most = sorted((marked for marked, _ in found), reverse=True)[:_MOST]
    yield from (remark for marked, remark in found if marked >= most[-1])


def _is_even(points: Sequence[_Point]) -> bool:
    """Whether points are worth enough, one with the other."""
    return sum(each.value for each in points) >= _EVENLY * len(points)


def _teach_enough(points: Sequence[_Point]) -> bool:
    """Whether an agent's points teach enough together; a person's lay something down."""
    return sum(each.taught for each in points) >= _TAUGHT


def _news(
    messages: Sequence[Message], request: Request, words: list[frozenset[str]]
) -> list[_Point]:
    """The points of messages that neither `words` tell, which grow by them, nor a later message."""
    points: list[_Point] = []
    for said in reversed(messages):
        news = [it for it in _points_of(said, request) if not _is_told(it, words)]
        words += [content_words(each.text) for each in news]
        points = [*news, *points]
    return points


def _points_of(said: Message, request: Request) -> Iterator[_Point]:
    """The points of a message; none of one that thinks aloud, of a plan, which is told elsewhere,
    and of a person's that rules nothing: of ten such remarks one was wanted.
    """
    if said.speaker is Speaker.USER:
        passes = is_plan(said.text) or is_brief(said.text)
        passes = passes or not any(map(settles, sentences(said.text)))
    else:
        passes = lays_out_plan(said.text)
    if passes or thinks(said.text):
        return
    closes = any(said is exchange.said[-1] for exchange in request.exchanges if exchange.said)
    for _, block in groupby(sentences_in(said, closes=closes), key=lambda it: it.block):
        point = _point_of(list(block), said)
        if point and (said.speaker is Speaker.AGENT or any(map(settles, sentences(point.text)))):
            yield point


def _point_of(block: Sequence[Sentence], said: Message) -> _Point | None:
    """What of a paragraph or item is worth something, from where it stands by itself."""
    values = [value_of(it) for it in block]
    if max(values) < _OPENS:
        return None  # as most are, and the rest is dear to ask
    values = [
        it if _is_of_the_work(each) else _NOTHING for each, it in zip(block, values, strict=True)
    ]
    best = max(range(len(block)), key=lambda at: values[at])
    if values[best] < _OPENS:
        return None
    first = best
    while first > 0 and (leans(block[first].text) or values[first - 1] >= _JOINS):
        first -= 1
    chosen = [at for at in range(first, len(block)) if at in (first, best) or values[at] >= _JOINS]
    if leans(block[first].text) or values[first] == _NOTHING:
        return None
    while chosen[-1] != best and sum(len(block[at].text) for at in chosen) > _LONGEST_POINT:
        chosen.pop()
    text = shorten(" ".join(stopped(_told(block[at])) for at in chosen), _LONGEST_POINT)
    if len(content_words(text)) < _FEW_WORDS:
        return None
    marked = sum(1 / (1 + exp(-values[at])) for at in chosen)
    taught = max(map(_taught_by, sentences(text)), default=0)
    return _Point(text, values[best], marked, taught, said)


def _taught_by(sentence: str) -> int:
    """How much a sentence teaches, and more where it says what was found out."""
    graded = _GRADE.match(sentence)
    told = sentence[graded.end() :] if graded else sentence
    return max(teaches(told), 0) + _OUT * (graded is not None or is_found_out(told))


def _told(sentence: Sentence) -> str:
    """A sentence without what leads to what was found."""
    told = _FOUND.sub("", sentence.text)
    return sentence.text if told == sentence.text else capital(told)


def _is_of_the_work(sentence: Sentence) -> bool:
    """Whether a sentence says how things are, not how far the agent is, or what it thinks."""
    text = _told(sentence)
    if text.endswith(("?", ":")) or announces(text):
        return False
    if sentence.speaker is Speaker.USER:
        return True
    if _GOES_ON.search(text) or _DRAFT.match(text) or is_of_git(text, _OF_GIT):
        return False
    return not (is_aside(text) or is_progress(text) or doubts(text))


def _is_told(point: _Point, known: Iterable[frozenset[str]]) -> bool:
    words = content_words(point.text)
    return any(covered(words, it) >= _TOLD for it in known)


def _best(points: Sequence[_Point]) -> list[_Point]:
    """The points worth most that fit, in their order."""
    kept: list[_Point] = []
    for point in sorted(points, key=lambda it: -it.value)[:_MOST_POINTS]:
        if sum(len(each.text) for each in kept) + len(point.text) <= _LONGEST:
            kept.append(point)
    return [each for each in points if each in kept]


def _candidate(
    session: Session, asked: str, category: Category, points: Sequence[_Point]
) -> Candidate:
    texts = [each.text for each in points]
    listed = texts[0] if len(texts) == 1 else "\n".join(f"- {each}" for each in texts)
    best = max(points, key=lambda it: it.value)
    lines = dict.fromkeys(each.said.line for each in points)
    is_said = covered(content_words(asked), content_words(listed)) >= _TOLD
    return Candidate(
        category=category,
        content=listed if is_said else f"{listed}{asked_below(asked)}",
        summary=best.text,
        line=points[-1].said.line,
        at=points[-1].said.at,
        passage=passage_of(best.said.text),
        marks=tuple(session.mark(line) for line in lines),
    )
