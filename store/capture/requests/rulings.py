"""What a person settles when they answer or correct an agent: the sentences that decide.

A ruling pins something down ("only", "exactly", a number), demands or forbids it, sets one thing
against another, or says how things are done here. Questions, requests and bare assent are none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from store.capture.requests.request import is_brief
from store.capture.requests.ruling_phrases import HEDGED, SETTLES, STANDING
from store.capture.steps.check_output import looks_failing
from store.capture.text.prose import CODE_NAME, announces, sentences
from store.text.phrases import Phrases
from store.text.regex import regex

_LONGEST_MESSAGE = 1_800
"""Characters of a message in which a person decides; a longer one is pasted."""
_LONGEST, _SHORTEST = 420, 10
_SHORT_ANSWER, _SHORT_QUESTION = 14, 40
"""Words of an answer that settles as a whole, and of a question."""
_ENOUGH = 2

_SUPPORTS = tuple(
    regex(pattern, re.I)
    for pattern in (
        r"\b(?:because|since|given (?:that|the|how)|so that|otherwise|that['’]s (?:how|why|what)"
        r"|so (?:there['’]?s )?no need|so (?:we|it|you) (?:do not|don['’]?t) need|this way"
        r"|porque|weil)\b| [–—-] ",
        r"(?<![\w.:])\d+(?:\.\d+)?(?:\s?(?:%|ms|s|h|kb|mb|gb|days?|hours?|minutes?|seconds?))?"
        r"(?![\w.:])|`[^`]+`|['\"][^'\"]{1,40}['\"]",
        r"\b(?:we|our|the team|this (?:repo|project|codebase))\b",
    )
)
_POINTS_BACK = regex(r"(?:and |so |now )?(?:that|this|it)(?:['’]s| is| was)\b|to \w+", re.I)
_THE_SAME = regex(
    r"\b(?:the |this |that |such )?same (?:issue|problem|error|mistake|bug)s?\b", re.I
)
"""What was named before: a rule about it alone says nothing."""
_REQUEST = regex(
    r"^(?:(?:ok(?:ay)?|cool|so|and|also|then|now|yes|yeah|yep|but|oh|hmm|actually|please|go ahead)"
    r"[,.!]? )*(?:(?:can|could|would|will) (?:you|we|i)|let['’]?s (?!keep|not|leave|stick|stay"
    r"|use|call)"
    r"|i(?:['’]d| would) like to|i want (?:to|you|it|an?)"
    r"|we (?:also|still) need to "
    r"|(?:now )?with (?:all )?this context"
    r"|given that"
    r"|one (?:more|other|last) thing|i (?:do |also )?need\b|look|check|show|tell|explain|give"
    r"|help|find"
    r"|take a look|review|run"
    r"|spawn|summari[sz]e|investigate|research|compare|verify|confirm|ask|analy[sz]e"
    r"|just (?:explain|tell|show|describe|answer)|rework|reword|fold|squash|rebase|fix|write"
    r"|create|make a|add|implement|wire|hook|link|push|commit"
    r"|update (?:the )?(?:docs?|documentation|readme|changelog|pr|branch))\b",
    re.I,
)
_ASKS = regex(
    r"^(?:(?:also|and|but|so|ok(?:ay)?|wait|hmm+|then),? )*"
    r"(?:you (?:think|mean)|should(?:n['’]?t)?|is|are|do|does|did|can|could|what|whats|why|how"
    r"|which|where)\b",
    re.I,
)
"""A question, with its mark or without."""
_WONDERS = regex(
    r"\bidk+\b|\bi don['’]?t (?:get|know|understand)\b|\bany (?:ideas?|thoughts|suggestions?)\b"
    r"|\b(?:i have a|separate|another|quick) question\b|\bwhich (?:one )?do you\b|\bwhat do you\b"
    r"|\bneed to think\b|\bshould (?:we|i) (?:do|also|use|make|keep|add)\b[^.,;]*$",
    re.I,
)
_OPINES = regex(
    r"\bi(?: really)? (?:think|feel|believe)(?: that)?,? (?=.{0,60}\b(?:should(?:n['’]?t)?|must"
    r"|better|rather|(?:do not|don['’]?t|no) need)\b)",
    re.I,
)
_OPINES_NOT = regex(r"\bi (?:do not|don['’]?t) think (we|it|you|they) needs? ", re.I)
"""Who gives an opinion of how it must be says how it must be."""
_ASKS_LATER = regex(
    r"[.,?!–—-] (?:(?:can|could|would|will) (?:you|we)|why not"
    r"|(?:please )?(?:implement|fix|build|do|run) (?:it|this|that)"
    r"|should(?:n['’]?t)? (?:it|we|this|that))\b",
    re.I,
)
"""A request behind a remark that nothing parts from it."""
_IS_BROKEN = regex(
    r"\b(?:is|are|was) (?:still |now )?(?:broken|not working|failing)\b|\[image \d", re.I
)
"""What is wrong at the moment is mended."""
_ELSEWHERE = Phrases("above|below|aforementioned")
"""What stands in another text is not told."""
_CLARIFIES = regex(r"\bi (?:mean|meant)\b", re.I)
"""Who puts a word right settles nothing."""
_CONFIRMS_FIRST = regex(
    r"\b(?:can|could|would) you (?:please )?(?:confirm|check|verify|look|see)\b", re.I
)
"""Who wants something confirmed has not settled it."""
_OF_GIT = Phrases(
    patterns={
        "rebas|reset to|cherry|force|merge conflict|stash": (
            r"\b(?:rebas(?:e|ed|ing)|reset to|cherry-?pick\w*|force-?push\w*|merge conflicts?"
            r"|stash\w*)\b"
        ),
        "branch|commit|pr ": (
            r"\b(?:(?:new|right|wrong|this|that|other) branch|(?:commit|pr) (?:title|body)"
            r"|(?:that|this) commit|branch(?:ing)? (?:off|from)|(?:that|this) (?:pr|branch) should)"
            r"\b"
        ),
        "close|submit": r"\b(?:close|submit) (?:[\w-]+ ){1,4}(?:issue|pr|ticket)s?\b",
    }
)
"""What git is to do, or did, is of the moment."""
_REVIEWED = regex(
    r"^(?:Consider\b|The (?:comments?|docs|documentation|docstring|function|method|tests?|code"
    r"|calculation|implementation|exported|current)\b.{0,160}\b(?:should|could|does(?:n['’]t| not)"
    r"|is (?:not|only)|only tests)\b)"
)
"""What a reviewer, or a program that reviews, writes of code: the change that follows tells it."""
_SPEAKS = Phrases(
    patterns={
        "": (
            r"\b(?:i|we|you|me|us|my|our|your|let['’]?s|please|ok(?:ay)?|yes|no|don['’]?t|do not)\b"
        )
    }
)
_FINDS_FAULT = Phrases(
    "is missing|is intended to|is never|is unused|returns early|silently|incorrectly"
    "|defines only|checks only|lists only|test coverage|performance issue|performance problem",
    {
        "lack|omit": r"\b(?:lacks?|omits?)\b",
        "has a": r"\bhas an? (?:\w+ )?(?:issue|problem|bug|race|leak)\b",
        "should be": r"\bshould be (?:avoided|tested|removed|used)\b",
        "o(n": r"\bo\(n\b",
        "unnecessar|duplicat|inconsisten|redundant": (
            r"\b(?:unnecessar\w|duplicat\w|inconsisten\w|redundant)"
        ),
    },
)
_HOLDS_STILL = regex(
    r"\b(?:do not|don['’]?t) (?:\w+ )?(?:edit|change|touch|modify|write|do|implement)"
    r" (?:anything|any (?:code|files?)|code)\b",
    re.I,
)
"""What is not to be touched while one only looks is of the moment."""
_FILES_IT = regex(r"\b(?:open|file|create) an? (?:\w+ )?(?:issue|ticket|pull request|pr)\b", re.I)
"""What is filed once is no rule."""
_OFFERS = regex(r"^(?:and |so |then )?i (?:can|could|will|might|may)\b", re.I)
_QUOTED = regex(r"\"[^\"]{6,}\"|“[^”]{6,}”")
_OUTPUT = regex(
    r"^\S+:\d+(?::\d+)?:|^[A-Z][\w ]{2,30}: ?[\d\[{(]|^(?:ERROR|WARN|INFO|FAIL|❯|⏺|⎿)|[{};]\s*$"
    r"|\b(?:[A-Z]\w*(?:Error|Exception): |Uncaught\b|cannot be located in\b)|\.js\?\w|^\d+ \| "
)
_SHOUTS, _A_FEW = regex(r"\b(?:NEVER|ALWAYS|MUST|IMPORTANT|CRITICAL|DO NOT)\b"), 2
"""What is written for programs shouts."""
_REPORTS = Phrases(
    "low severity|medium severity|high severity|critical severity|following error",
    {
        "throwing |getting ": r"\b(?:throwing|getting) (?:this|the|an?)\b.{0,40}\berror",
        "changes not staged": r"(?m)^changes not staged",
        '(use "git ': r"\(use \"git ",
        "insertion": r"\d insertions?\(\+\)",
        "/": r"\A/[a-z][\w:-]*(?:\s|\Z)",
        "- |* |• ": r"\A\s*[-*•] ",
        "=== ": r"(?m)^={3,} ",
        "]": r"\[[\w./-]+:\d+(?:-\d+)?\]",
    },
)
_LEAVES_OPEN = regex(
    r"\b(?:which|what)\b[^?.]{0,80}\b(?:better|best|prefer|recommend|think|suggest)\b[^?]{0,80}\?"
    r"|\bwhat do you think\b",
    re.I,
)
"""Who asks for a choice lays out options, and settles none of them."""
_REFERS = regex(
    r"\b(?:its|it|them|they|(?:this|that|these|those) (?:is|are|was|has|have|should|must|would|can"
    r"|needs?)(?:n['’]t)?)\b",
    re.I,
)


def _is_comment_on_code(text: str) -> bool:
    """Whether a message is what a reviewer, or a program that reviews, wrote of code: it says what
    is wrong with a thing of a name, and neither who says it nor to whom.
    """
    if _SPEAKS.stand_in(text) or not (CODE_NAME.search(text) or text.startswith("The ")):
        return False
    return _FINDS_FAULT.stand_in(text)


def _is_others(text: str) -> bool:
    return is_brief(text) or _is_comment_on_code(text)


def speaks(text: str) -> bool:
    """Whether a message says "I", "we" or "you", as people do and programs that review do not."""
    return _SPEAKS.stand_in(text)


@lru_cache(maxsize=256)
def is_readable(text: str) -> bool:
    """Whether a message is a person's own words rather than a pasted text or output."""
    if len(text) > _LONGEST_MESSAGE or looks_failing(text) or _is_others(text):
        return False
    if len(_SHOUTS.findall(text)) > _A_FEW:
        return False
    return not _REPORTS.stand_in(text)


def settles(sentence: str) -> bool:
    """Whether a sentence settles something by itself: it pins, and says more than that."""
    strong, support = _weights(sentence)
    return strong >= 1 and strong + support >= _ENOUGH


def is_firm(sentence: str) -> bool:
    """Whether a sentence settles something in two ways, and says why: "no, only X, since Y"."""
    strong, support = _weights(sentence)
    return strong > 1 and support > 0


def stands_elsewhere(sentence: str) -> bool:
    """Whether a sentence is about what stands in a text that is not told."""
    return _ELSEWHERE.stand_in(sentence)


def gives_reason(sentence: str) -> bool:
    """Whether a sentence settles something by itself, and says why."""
    return settles(sentence) and _SUPPORTS[0].search(sentence) is not None


def is_standing(sentence: str) -> bool:
    """Whether a sentence holds beyond the work at hand: "from now on", "we never"."""
    if not _SHORTEST <= len(sentence) <= _LONGEST or _is_other(sentence):
        return False
    if _POINTS_BACK.match(sentence) or _THE_SAME.search(sentence):
        return False
    return STANDING.stand_in(_QUOTED.sub('""', sentence))


@lru_cache(maxsize=512)
def rulings_in(text: str, *, answers: bool) -> tuple[str, ...]:
    """The sentences of a person's message that settle something.

    `answers`: the agent had asked or proposed something, so that what supports a ruling is one too.
    """
    if not is_readable(text) or _LEAVES_OPEN.search(text):
        return ()
    told = [it for each in sentences(text, short=answers) for it in _PARTED.split(each)]
    if not answers:
        return tuple(each for each in told if settles(each) or is_standing(each))
    found = tuple(each for each in told if sum(_weights(each)) > 0)
    return found if len(text.split()) <= _SHORT_ANSWER or any(map(settles, found)) else ()


_PARTED = regex(r"(?<=[a-z]{2}[.?!])(?<!etc\.)(?<!vs\.) +(?=[a-z])")
"""Where a sentence ends for who writes without capitals."""


def wonders(text: str) -> bool:
    """Whether a short message asks or does not know, with a question mark or without."""
    return len(text.split()) <= _SHORT_QUESTION and bool(_WONDERS.search(text) or _ASKS.match(text))


def in_context(text: str, ruled: str) -> str:
    """The sentences of a message that are `ruled`; one that says "it" with the one before it."""
    told = list(sentences(text, short=True))
    kept: list[str] = []
    for at, each in enumerate(told):
        if each not in ruled:
            continue
        before = told[at - 1] if at else ""
        if _REFERS.search(each) and before and not before.endswith(("?", ":")):
            kept.append(before)
        kept.append(each)
    return " ".join(dict.fromkeys(kept)) or ruled


def is_short_answer(text: str) -> bool:
    """Whether a message may answer a question in so few words that only the reply explains it."""
    if _CLARIFIES.search(text) or wonders(text):
        return False
    return len(text.split()) <= _SHORT_ANSWER and "?" not in text and not _REQUEST.match(text)


@lru_cache(maxsize=512)
def _weights(sentence: str) -> tuple[int, int]:
    """How much pins something down in a sentence, and how much supports that; 0 where neither."""
    if _OPINES.search(sentence) and not _SUPPORTS[0].search(sentence):
        return 0, 0
    sentence = _OPINES_NOT.sub(r"\1 don't need ", _OPINES.sub("", sentence))
    if not _SHORTEST <= len(sentence) <= _LONGEST or _is_other(sentence):
        return 0, 0
    unquoted = _QUOTED.sub('""', sentence)
    return SETTLES.count(unquoted), sum(bool(pattern.search(sentence)) for pattern in _SUPPORTS)


@lru_cache(maxsize=512)
def _is_other(sentence: str) -> bool:
    """Whether a sentence is a question, a lead-in, a request, an intent, output or hedged."""
    if sentence.count('"') % 2:
        return True  # a part of what was cited
    if (
        _is_comment_on_code(sentence)
        or sentence.endswith(("?", ":"))
        or announces(sentence)
        or _OFFERS.match(sentence)
    ):
        return True
    if _OF_GIT.stand_in(sentence) and not STANDING.stand_in(sentence):
        return True
    others = (
        *(_REQUEST, _ASKS, _OUTPUT, _FILES_IT, _REVIEWED, _CONFIRMS_FIRST),
        *(_ASKS_LATER, _IS_BROKEN, _HOLDS_STILL),
    )
    if HEDGED.stand_in(sentence) or stands_elsewhere(sentence):
        return True
    return any(each.search(sentence) for each in others)
