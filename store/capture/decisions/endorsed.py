"""What a person brought in and the agent took up: "You're right: …", with why in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from store.agents.session import Session
from store.agents.transcript import Message, Speaker
from store.capture.candidate import Candidate, passage_of, shorten
from store.capture.decisions.pasted_plans import is_plan
from store.capture.requests.request import crisp, is_taken_back
from store.capture.requests.rulings import is_readable, settles, speaks
from store.capture.text.accounts import tells_reason
from store.capture.text.causes import names_cause, tells_cause
from store.capture.text.chatter import is_aside, is_empty
from store.capture.text.grounds import OF_ANY_WORK
from store.capture.text.prose import announces, capital, leans, sentences
from store.model import Category
from store.text.content_words import code_words, covered
from store.text.regex import regex

_TAKES_UP = regex(
    r"(?:(?:yes|yeah|ok(?:ay)?|ah+|oh|hm+|fair|indeed|absolutely|exactly|perfect|great|good|right"
    r"|correct|100% fair|excellent)\b[\s,.!—–-]*){0,3}"
    r"(?:you(?:['’]re| are) (?:\w+ ){0,2}(?:right|correct)(?: (?:again|about (?:this|that)|to \w+"
    r"(?: \w+){0,3}))?"
    r"|(?:good|great|excellent|fair|valid|sharp|smart|nice|important) (?:point|call|catch|idea"
    r"|thinking|instinct|insight|observation)s?"
    r"|(?:that|this)(?:['’]s| is) (?:an? )?(?:much |even |actually |really |far )*(?:cleaner|better"
    r"|simpler|smart\w*|fair|valid|elegant|sensible|good)(?: \w+){0,2}"
    r"|(?:that |this )?makes (?:\w+ )?sense"
    r"|your (?:\w+ )?(?:proposal|idea|approach|instinct|suggestion|solution)"
    r"(?: (?:is|captures|makes)(?: \w+){1,3})?"
    r"|agreed|(?:i |totally |fully )+agree|right|exactly|got it|understood|fair enough)"
    r"(?:[.!,:;]| ?[—–-])\s*",
    re.I,
)
"""How an agent takes up what it was told; what follows says why."""
_OF_ITSELF = regex(
    r"\bI(?:['’](?:ll|ve)|['’]m (?!going to)| (?!would\b|recommend|prefer|suggest|think|agree)\w)"
    r"|\bun(?:committed|staged|tracked)\b"
    r"|\blet me\b|\bpass(?:es|ing|ed)?\b|^(?:my|pushed|committed|updated|opened|thank(?:s| you))\b"
    r"|\b(?:sorry|apolog\w+)\b|^option \w\b"
    r"|\bthere['’]s (?:an? |one )?(?:\w+ ){0,2}(?:tension|catch|trade-?off|nuance|wrinkle)\b"
    r"[^:—]*$",
    re.I,
)
_LISTED = regex(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t].*$", re.M)
"""The items of a list lay out what was taken up, and seldom say why."""
_PROPOSES = regex(
    r"\b(?:should\w*|could|instead|rather|alternative|implement\w*|let['’]?s|needs? to|better"
    r"|remov\w+|keep\w*|drop\w*|revert\w*|too|would|nicer|prefer\w*)\b",
    re.I,
)
_MUSES = regex(r"\b(?:ideally|sorry|i (?:feel|wonder|think|agree|guess)|for now)\b", re.I)
"""Who weighs a thing aloud has not said how it must be."""
_LEAVES_OPEN = regex(
    r"\bwondering\b|\bneed (?:to think|(?:some )?ideas)\b|\bfar[- ]fetched\b", re.I
)
"""Who has a doubt, or nothing yet, has brought in no more than a question."""
_WANTS = regex(r"\b(?:need|want|like) (?:you|it) to\b|\b(?:give|show|tell) me\b", re.I)
"""Who wants something done has brought nothing in."""
_BECAUSE = regex(
    r"\b(?:because|since (?:it|we|this|the)|so (?:we|it) (?:do not|don['’]?t|can['’]?t))\b", re.I
)
_TELLS_A_FAULT = regex(r"(?:the|this) (?:\w+ )?(?:bug|logic) (?:is|was|here)\b", re.I)
_SO = regex(r"^so,? (?=\S+ \S+ \S+)", re.I)
_OPENING, _MOST, _LONGEST, _LONGEST_SAID = 1_000, 3, 560, 300
"""Characters of a reply, and sentences of them, in which stands why; how much of both is told."""
_SAYS_ENOUGH, _BROUGHT_IN, _SAYS_MUCH = 5, 4, 10
"""Words of its own that the reply must have, and what the person said: much says why itself."""
_A_REMARK = 200
"""Characters up to which a message is a person's, however it is worded."""
_SAID_BEFORE, _TAKEN = 0.75, 0.5
"""The share of a person's words from which a reply says them, or takes them up, again."""


def endorsed(session: Session) -> Iterator[Candidate]:
    """A decision for each thing that a person brought in and the agent agreed to with a reason."""
    asked: Message | None = None
    is_next = False
    for at, said in enumerate(session.said):
        if said.speaker is Speaker.USER:
            asked = None if is_taken_back(session.said, at) else said
            is_next = True
            continue
        if asked is not None and (told := _taken_up(asked.text, said.text, is_next=is_next)):
            yield Candidate(
                category=Category.DECISION,
                content=told,
                line=asked.line,
                at=said.at,
                passage=passage_of(f"{asked.text}\n{said.text}"),
                marks=(session.mark(asked.line), session.mark(said.line)),
            )
            asked = None
        is_next = False


def _taken_up(asked: str, reply: str, *, is_next: bool) -> str:
    """What a reply says of what it takes up, with the person's own words.

    Only the one that follows at once, `is_next`, may do without saying why.
    """
    taken = _TAKES_UP.match(reply)
    if taken is None or is_plan(asked) or not is_readable(asked):
        return ""
    if len(asked) > _A_REMARK and not speaks(asked):
        return ""
    own = _brought_in(asked)
    opening = reply[:_OPENING].rpartition("\n")[0] if len(reply) > _OPENING else reply
    kept = _restated(list(sentences(_LISTED.sub("", opening[taken.end() :]))))
    text = shorten(" ".join(kept), _LONGEST)
    words = code_words(text)
    if not own:
        return ""
    taken_up = [len(code_words(each) & words) for each in own]
    brought = own[taken_up.index(max(taken_up))] if any(taken_up) else own[-1]
    said = shorten(" ".join(own[own.index(brought) :][:2]), _LONGEST_SAID)
    if len(kept) == 1 and brought.endswith("?") and not (names_cause(text) or settles(text)):
        return ""  # what it is now answers a question, and agrees to nothing
    if _LEAVES_OPEN.search(said):
        return ""
    if _TELLS_A_FAULT.match(text) or _WANTS.search(brought):
        return ""  # its change tells it
    is_settled = bool(_PROPOSES.search(said)) or any(map(settles, kept))
    has_reason = (is_settled and any(map(_gives_reason, kept))) or (
        is_next and _BECAUSE.search(said) is not None and bool(words & code_words(said))
    )
    if has_reason and len(words - OF_ANY_WORK) >= _SAYS_ENOUGH:
        is_said = covered(code_words(brought), words) >= _SAID_BEFORE
        return text if is_said else f"{text}\nThe user: {said}"
    return _agreed(own, text, reply) if is_next else ""


def _agreed(own: Sequence[str], text: str, reply: str) -> str:
    """What a person proposed and the reply, which says `text` of it, takes up."""
    settled = " ".join(it for it in own if not it.endswith("?") and not _MUSES.search(it))
    if not _PROPOSES.search(settled) or len(code_words(settled) - OF_ANY_WORK) < _SAYS_MUCH:
        return ""
    told = shorten(settled, _LONGEST_SAID)
    if code_words(text) & code_words(settled):
        return f"{told}\nAgreed: {text}"
    return told if covered(code_words(settled), code_words(reply)) >= _TAKEN else ""


def _brought_in(asked: str) -> list[str]:
    """The sentences of a request that name something."""
    own = [crisp(each) for each in sentences(asked)]
    return [each for each in own if len(code_words(each) - OF_ANY_WORK) >= _BROUGHT_IN]


def _gives_reason(sentence: str) -> bool:
    return tells_cause(sentence) or settles(sentence) or tells_reason(sentence)


def _restated(told: Sequence[str]) -> list[str]:
    """The first sentences of a reply that say how it is or must be, up to what comes next."""
    kept: list[str] = []
    for each in told:
        each = each if kept else _SO.sub("", each)
        if announces(each) or each.endswith((":", "?")) or _OF_ITSELF.search(each):
            if kept and announces(each):
                break
            continue
        if is_aside(each) or is_empty(each) or (leans(each) and not kept):
            continue
        ended = each.endswith((".", "!", '"', "”", ")"))
        kept.append(capital(each) + ("" if ended else "."))
        if len(kept) == _MOST:
            break
    return kept
