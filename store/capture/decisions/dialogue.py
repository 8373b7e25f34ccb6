"""Decisions in dialogue: one proposes, the other corrects or agrees, and somebody sums it up.

What a person rules is told in the words that restate it best, mostly the agent's reply or the
recap at the end; the person's own words follow where they add the reason or what was rejected.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.decisions.pasted_plans import is_plan
from store.capture.requests.request import crisp, is_taken_back, lets_go_on
from store.capture.requests.rulings import (
    gives_reason,
    in_context,
    is_firm,
    is_readable,
    is_short_answer,
    is_standing,
    rulings_in,
    settles,
    wonders,
)
from store.capture.text.accounts import tells_why
from store.capture.text.chatter import is_aside, tells_something
from store.capture.text.grounds import OF_ANY_WORK
from store.capture.text.prose import (
    CODE_NAME,
    announces,
    capital,
    leans,
    plain,
    proposes,
    sentences,
    stopped,
)
from store.model import Category
from store.text.content_words import code_words, content_words, covered
from store.text.regex import regex

_RESTATES, _ECHOES, _NOTHING_NEW = 0.5, 0.2, 0.6
"""A reply restates a ruling that has half its words, or a fifth where it says nothing new."""
_CONFIRMS, _AGREED, _AS_GOOD = 0.6, 0.3, 0.12
"""The share of a ruling's words that the agent had said before where it only confirms, and where it
agrees as well; and how much less a later restatement may have to be as good.
"""
_BARELY = 0.2
"""Below it a reply has too few words of a ruling to be what was settled."""
_ADDS = 0.55
"""The share of a ruling's words that a change has where it tells it."""
_LOOKED_AHEAD = 14
"""Messages after a ruling among which the agent restates it."""
_LONGEST_SETTLED, _LONGEST_SAID, _LONGEST_ALONE = 760, 360, 260
"""Characters of a decision, of what the person said, and of what they added nothing to."""
_SHORT, _LEAST_WORDS, _SAYS_ENOUGH, _SAYS_AGAIN = 7, 3, 4, 0.3
"""Words of a ruling that only confirms, of one that decides, and of code that say what it is about;
and the share of a sentence's words that says a ruling again.
"""
_ACKNOWLEDGED = regex(
    r"^(?:(?:got it|understood|right|ok(?:ay)?|agreed|settled|noted|makes sense|exactly|excellent"
    r"|great|perfect|sure|yes|so|then|good (?:point|catch|call)|fair(?: enough)?|ah|absolutely"
    r"|that makes sense|recap(?=:)|entendido|certo|verstanden"
    r"|you(?:['’]re| are)(?: absolutely)? right(?: to [^.,;!]+)?)\b[\s,.!:;–—-]*)+",
    re.I,
)
_AGREES = regex(r"^(?:yes|right|exactly|correct|agreed|perfect|that['’]s|sim|isso|genau)\b", re.I)
_CLEAR = regex(r"^(?:\w+ ){0,2}\w+[.!]$")  # "Clear plan."
_SUMS_UP = regex(
    r"^(?:recap|in short|in summary|summary|to (?:recap|sum up|summari[sz]e|be explicit)|resumo)\b",
    re.I,
)
_LOOKS = regex(
    r"^(?:i (?:can )?(?:now )?see|i['’]ve (?:read|reviewed)|looking at|one concern"
    r"|launching\b|one (?:\w+ )?note\b|(?:i(?:['’]ve| have)? )?(?:committed|pushed|logged|filed"
    r"|posted|updated|removed|deleted|renamed)|both comments|branch is|no further (?:action"
    r"|work))\b"
    r"|.{0,120}\b(?:workers?|sub-?agents?|worktrees?|checkouts?) (?:will|owns?|is|are|has|have)\b"
    r"|.{0,160}\b(?:isolated|new|another|separate) (?:worktree|checkout|(?:research )?branch)\b",
    re.I,
)
_REASONED = regex(r"\b(?:only|must|never|always|not|no)\b.{0,120}\bbecause:?\s", re.I | re.S)
"""What opens a session is a request, but one that says why it must be so settles it, too."""
_SAYS_WHY = regex(r"\b(?:because|since|so that|otherwise)\b| [–—-] ", re.I)
_FIELDS, _A_FORM = regex(r"^[ \t]*\w+: ?\S", re.M), 3
_POINTS = regex(
    r"(?:and |so |but |also )*(?:this|that|it|these|those|they)(?:['’]s)? (?!(?:function|file|test"
    r"|repo|project|command|module|class|method|setting|flag|package|script|table|field|page|screen)\b)",
    re.I,
)
"""What points at something said before is nothing without it."""
_POINTS_AT = regex(r"\b(?:that|this) (?:part|bit|one|pr|pull request|branch)\b", re.I)
_MENU = regex(r"\[[A-Z]\] \w[^\[\]]{0,60}\[[A-Z]\] ")
"""What a workflow asks after each of its steps."""
_POLITE = regex(r"\b(?:thank(?:s| you)|apolog\w+|sorry|my mistake)\b", re.I)


class _Ruling(NamedTuple):
    """What a person settled, and what the agent had asked or proposed before."""

    said: Message
    text: str
    before: Message | None

    @property
    def words(self) -> frozenset[str]:
        return content_words(self.text)


def settled_decisions(session: Session, told_in_changes: Sequence[str] = ()) -> Iterator[Candidate]:
    """A decision for each thing settled in dialogue; a lesson for a rule that holds from now on.

    `told_in_changes` are the requests that code changes tell anyway.
    """
    messages = list(session.said)
    busy = [step.call.line for step in session.steps]
    groups: dict[int, list[_Ruling]] = {}
    alone: list[_Ruling] = []
    working = {id(step.asked) for step in session.steps}
    for at, ruling in _rulings(messages, working):
        place = _restated(messages, at, ruling, busy)
        if place is None or _AGREES.match(ruling.said.text):
            confirmed = _confirmed(messages, at, ruling)
            place = place if confirmed is None else confirmed
        if place is not None:
            groups.setdefault(place, []).append(ruling)
        else:
            alone.append(ruling)
    for index, rulings in sorted(groups.items()):
        if all(_is_told(ruling, told_in_changes) for ruling in rulings):
            continue
        settled = _settled(session, messages[index], rulings, messages[:index])
        alone += rulings if settled is None else ()
        if settled is not None:
            yield settled
    stand = (it for it in alone if _stands_alone(it, works=bool(session.steps)))
    for ruling in sorted(stand, key=lambda each: each.said.line):
        if not _is_told(ruling, told_in_changes):
            yield _ruled(session, ruling)


def _is_told(ruling: _Ruling, told_in_changes: Sequence[str]) -> bool:
    """Whether a change tells what was ruled: what was asked once, and holds for nothing else."""
    if is_standing(ruling.text):
        return False
    return any(covered(ruling.words, content_words(told)) >= _ADDS for told in told_in_changes)


def _rulings(
    messages: Sequence[Message], working: Collection[int]
) -> Iterator[tuple[int, _Ruling]]:
    """What a person settles, and where. What led the agent to work at once may only steer that.

    `working` are the identities of the messages after which it called a tool.
    """
    before: Message | None = None
    for at, said in enumerate(messages):
        if said.speaker is Speaker.AGENT:
            before = said
            continue
        if is_taken_back(messages, at):
            continue
        if lets_go_on(said.text) or not is_readable(said.text) or is_plan(said.text):
            continue
        if wonders(said.text) and not any(map(is_standing, sentences(said.text))):
            continue
        answers = before is not None and proposes(before.text) and id(said) not in working
        found = rulings_in(said.text, answers=answers)
        if not found and answers and is_short_answer(said.text):
            found = (plain(said.text),)
        reasoned = before is None and _reasoned(said.text)
        if reasoned:
            found = (shorten(said.text, _LONGEST_SAID),)
        if found and (before is not None or reasoned or any(map(is_standing, found))):
            yield at, _Ruling(said, " ".join(found), before)


def _reasoned(text: str) -> bool:
    """Whether a request says why it must be so; a form that was filled in says what goes wrong."""
    return bool(_REASONED.search(text)) and len(_FIELDS.findall(text)) < _A_FORM


def _stands_alone(ruling: _Ruling, *, works: bool) -> bool:
    """Whether a ruling that nobody restated says enough: what opens a session is its request, and
    where it `works`, most steer what is at hand: of 19 that name nothing 3 were wanted.
    """
    if len(ruling.words) < _LEAST_WORDS or is_standing(ruling.text):
        return len(ruling.words) >= _LEAST_WORDS
    if len(code_words(ruling.text) - OF_ANY_WORK) < _SAYS_ENOUGH:
        return False
    if ruling.before is None and _reasoned(ruling.said.text):
        return True
    if (works and not _says_itself(ruling)) or _POINTS.match(ruling.text):
        return False
    return not _POINTS_AT.search(ruling.text) and bool(rulings_in(ruling.said.text, answers=False))


def _says_itself(ruling: _Ruling) -> bool:
    """Whether a person's words name something, or settle it firmly or for a reason."""
    if CODE_NAME.search(ruling.text.replace("..", " ")):
        return True
    return any(is_firm(it) or gives_reason(it) for it in sentences(ruling.text, short=True))


def _confirmed(messages: Sequence[Message], at: int, ruling: _Ruling) -> int | None:
    """Where the agent said before what a ruling only confirms."""
    if ruling.before is None or len(ruling.words) > _SHORT:
        return None
    agrees = _AGREES.match(ruling.said.text)
    if is_standing(ruling.text) and not agrees:
        return None  # it holds in the person's own words, which turn down as many words as they use
    least = _AGREED if agrees else _CONFIRMS
    if covered(ruling.words, content_words(ruling.before.text)) < least:
        return None
    return max(index for index in range(at) if messages[index] is ruling.before)


def _restated(
    messages: Sequence[Message], at: int, ruling: _Ruling, busy: Sequence[int]
) -> int | None:
    """Where the agent restates a ruling best, the latest of those that do it as well."""
    best, found = 0.0, None
    context = frozenset().union(*(content_words(each.text) for each in messages[: at + 1]))
    is_next = True
    for index in range(at + 1, min(len(messages), at + 1 + _LOOKED_AHEAD)):
        reply = messages[index]
        if reply.speaker is not Speaker.AGENT:
            context |= content_words(reply.text) if is_readable(reply.text) else frozenset()
            continue
        if any(ruling.said.line < line < reply.line for line in busy):
            break  # after work a reply reports it
        if _MENU.search(reply.text):
            continue  # a step of a workflow, whatever it says
        words = content_words(" ".join(it for it in sentences(reply.text) if it[-1:] != "?"))
        share = covered(ruling.words, words)
        sums_up = is_next and (
            _ACKNOWLEDGED.match(reply.text) is not None or index == len(messages) - 1
        )
        echoes = sums_up or covered(words, context) >= _NOTHING_NEW
        if share >= (_ECHOES if echoes else _RESTATES) and share >= best - _AS_GOOD:
            best, found = max(best, share), index
        is_next = False
    return found


def _settled(
    session: Session, reply: Message, rulings: Sequence[_Ruling], before: Sequence[Message]
) -> Candidate | None:
    """The decision in the words that restate it, then what the person's own words add.

    None where the reply only says what the agent is about to do.
    """
    asked = frozenset().union(*(ruling.words for ruling in rulings))
    context = asked.union(*(content_words(said.text) for said in before[-6:]))
    settled = _restating(reply.text, asked, context)
    is_long = len(settled) > _LONGEST_ALONE  # where work is done, it reports that
    if not settled or (session.steps and (is_long or not _pins(settled, rulings))):
        return None
    parts = [settled]
    told = content_words(settled)
    for ruling in rulings:
        said = [it for it in sentences(ruling.said.text, short=True) if "?" not in it]
        said = [it for it in said if covered(content_words(it), told) < 1 - _ADDS / 2]
        if adds := [it for it in said if len(content_words(it)) > 1]:
            parts.append(f"The user: {shorten(' '.join(adds), _LONGEST_SAID)}")
    if len(parts) == 1 and len(settled) > _LONGEST_ALONE:
        return None  # an explanation, to which the person added nothing
    aside = covered(asked, told) < _BARELY and _says_what(parts[1:])
    if aside or leans(settled) or len(told - OF_ANY_WORK) < _SAYS_ENOUGH:
        works = bool(session.steps) and not any(map(_says_itself, rulings))
        if len(parts) == 1 or works or len(code_words(parts[1]) - OF_ANY_WORK) < _SAYS_ENOUGH:
            return None
        parts = [parts[1].removeprefix("The user: "), *parts[2:]]
        settled = parts[0]
    last = rulings[-1].said
    return Candidate(
        category=Category.DECISION,
        content="\n".join(parts),
        summary=settled,
        line=reply.line,
        at=reply.at or last.at,
        passage=shorten(last.text, 300) + "\n" + shorten(reply.text, 300),
        marks=tuple(session.mark(ruling.said.line) for ruling in rulings),
    )


def _pins(settled: str, rulings: Sequence[_Ruling]) -> bool:
    """Whether what was settled says how it must be, or why: of 7 others 2 were wanted."""
    why = any(_SAYS_WHY.search(ruling.text) for ruling in rulings)
    return why or any(settles(it) or tells_why(it) for it in sentences(settled))


def _says_what(added: Sequence[str]) -> bool:
    """Whether a person's own words tell by themselves what they settled."""
    told = added[0].removeprefix("The user: ") if added else ""
    enough = len(code_words(told) - OF_ANY_WORK) >= _SAYS_ENOUGH
    return enough and any(map(settles, sentences(told)))


def _restating(text: str, asked: frozenset[str], context: frozenset[str]) -> str:
    """The sentences of a reply that say again what was ruled, without what it is about to do."""
    told = [_ACKNOWLEDGED.sub("", each) for each in sentences(text)]
    told = [each for each in told if len(each) > 3 and not each.endswith(("?", ":"))]
    told = [each for each in told if not _POLITE.search(each) and not _LOOKS.match(each)]
    told = [each for each in told if tells_something(each) and not _CLEAR.match(each)]
    told = [each for each in told if not is_aside(each)]
    recap = next((at for at, each in enumerate(told) if _SUMS_UP.match(each)), 0)
    told = told[recap:]
    stated = [each for each in told if not announces(each)]
    kept = [each for each in stated if _says_again(content_words(each), asked, context)]
    if not kept and _ACKNOWLEDGED.match(text):
        kept = stated
    settled = " ".join(dict.fromkeys(map(stopped, kept)))
    return shorten(capital(settled), _LONGEST_SETTLED)


def _says_again(words: frozenset[str], asked: frozenset[str], context: frozenset[str]) -> bool:
    return len(words & asked) > 1 or covered(words, asked) >= _SAYS_AGAIN or (
        covered(words, context) >= _NOTHING_NEW and bool(words & asked)
    )  # fmt: skip


def _ruled(session: Session, ruling: _Ruling) -> Candidate:
    """A ruling that nobody restated, in the person's words, with what it answers."""
    question = _question(ruling.before)
    text = crisp(shorten(in_context(ruling.said.text, ruling.text), _LONGEST_SAID)) or ruling.text
    text = capital(text)
    standing = is_standing(ruling.text)
    content = f"{text}\nOn: {question}" if question and not standing else text
    return Candidate(
        category=Category.LESSON if standing else Category.DECISION,
        content=content,
        summary=text,
        line=ruling.said.line,
        at=ruling.said.at,
        passage=passage_of(ruling.said.text),
        marks=(session.mark(ruling.said.line),),
    )


def _question(said: Message | None) -> str:
    """What the agent asked or proposed last."""
    asked = [each for each in sentences(said.text) if each.endswith("?")] if said else []
    return shorten(asked[-1], 240) if asked else ""
