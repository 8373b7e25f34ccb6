"""What was asked for by a change, and why, as far as the person says so by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.capture.candidate import shorten
from store.capture.requests.request import Request, crisp, is_brief
from store.capture.requests.rulings import is_readable, stands_elsewhere
from store.capture.text.grounds import Grounds, says_what
from store.capture.text.prose import leans, sentences
from store.text.content_words import content_words
from store.text.phrases import Phrases
from store.text.regex import regex

_ASKS = Phrases(
    patterns={
        "": (
            r"^(?:(?:do|did|does|have|would) (?:you|we|it|they|that|this)"
            r"|what (?:do|does|did|is|are|was)|is|are|was|were|why|how|which|where)\b"
            r"|^#?\d+\b[.,]?(?= (?:but|and|with|please)\b|$)"
        ),
        "?": r"\?$",
        "going to|had a|question|told you": (
            r"^i(?:['’]?m going to| am going to| had an?\b| have an? (?:\w+ )?question"
            r"| told you)\b"
        ),
        "comment": (
            r"^[^.`:]{0,60}\bcomments? (?:\w+ ){0,3}(?:from|by|on) [^.`:]{0,60}"
            r"\bbe (?:addressed|resolved|fixed)\b[^.`:]{0,40}$"
        ),
        "fail": (
            r"\b(?:tests?|check(?:s|er)|ci|build|pipeline) [^.`:]{0,30}\bfail\w*"
            r" on (?:that|this|the|my) (?:pr|pull request|branch)\W*$"
        ),
        "continue|proceed|go on": r"\b(?:continue|proceed|go on)\W*$",
        "can |could ": r"[,;–—-] (?:so |then |please )*(?:can|could) (?:we|you)\b",
    }
)
"""A question, with its mark or without, the number of a choice, what the person does, and that
there are comments or failures: none says what was asked.
"""
_WRONG = Phrases(
    "fail|fails|failed|failing|crash|crashes|crashed|crashing|broken|breaks|broke|missing|lost"
    "|stale|outdated|unable|stuck|hangs|silently|no longer|because|so that|cannot|can't|can’t|cant"
    "|currently|right now|instead of the",
    {
        "wrong|incorrect": r"\b(?:wrong|incorrect)",
        " not|n't|n’t|nt": (r"\b(?:does|do|did|was|were|is|are|has|have)(?: not|n['’]?t)\b"),
    },
)
_BECAUSE = Phrases(
    "because|so that|or else|otherwise|given the|given that|given how|better to|better not to"
    "|since it|since that|since this|since we|since they|as we|as they",
    {"as it|as that": r"\bas (?:it|that)['’]?s\b"},
)
"""What says why something is to be done, in the same sentence."""
_FORBIDS = regex(r"(?:\A|[,;.:] ?|\b(?:and|but|please) )(?:don['’]?t|do not)\b", re.I)
"""What is not to be done is not wrong."""
_ASKS_FOR = regex(
    r"(?:(?:please|also|now|then|just|and|so|ok(?:ay)?)[, ]+)*(?:do(?:n['’]?t| not)?|if|when"
    r"|let|add|updat\w+|fix|make|ensure|handle|implement|change|replace|log|check|create|remove|rename|use"
    r"|drop|prevent|enforce|avoid|allow|stop|return|call|convert|extract|rework|test|verify|review"
    r"|explain|read|detect|reject|validate|mark|store|send|print|display|improve|refactor|build"
    r"|write|run|take|look|find|show|try|move|keep|put|give|read|set|get|go|help|see|i(?:['’]m)?)\b",
    re.I,
)
"""What begins so says what is to be done, not what is wrong."""
_GOES_ON = regex(
    r"(?:,|\b(?:because|and|or|but|so|that|the|an?|to|of|in|with|when|if|for|is|are))$", re.I
)
"""What ends so was cut by the end of a line."""
_FEW_WORDS, _MOST_LATER = 3, 2
"""Later requests of the same change that are told."""
_LEAST_WORDS, _LONGEST_SENTENCE, _LONGEST_WHY = 6, 320, 300
"""Words and characters of a sentence that may say why, and characters of what is told."""


def asked_for(requests: Sequence[Request], grounds: Grounds) -> str:
    """What was asked for, as far as it says by itself what: a question alone does not."""
    own = (it for it in requests if not (it.asked and is_brief(it.asked.text)))
    titles = dict.fromkeys(request.title for request in own)
    told = [each for each in titles if not _ASKS.stand_in(each) and says_what(each, grounds)]
    first, *later = told or [""]
    return f"{first} Then: {'; '.join(later[:_MOST_LATER])}" if later else first


def is_request(title: str) -> bool:
    """Whether a request says something, if only to who knows the session: no question, no word."""
    return not title.endswith("?") and len(content_words(title)) >= _FEW_WORDS


def why_asked(requests: Sequence[Request], grounds: Grounds) -> str:
    """What the person says is wrong; empty where they only say what is to be done."""
    for request in requests:
        text = request.asked.text if request.asked else ""
        if not is_readable(text) or is_brief(text):
            continue
        told = [crisp(it) for it in sentences(text) if _says_whats_wrong(it)]
        told = [it for it in told if says_what(it, grounds) and grounds.hold(it)]
        if told and not leans(told[0]):
            return shorten(" ".join(told[:2]), _LONGEST_WHY)
    return ""


def _says_whats_wrong(sentence: str) -> bool:
    if sentence.endswith(("?", ":")) or len(sentence) > _LONGEST_SENTENCE:
        return False
    if _GOES_ON.search(sentence) or stands_elsewhere(sentence):
        return False
    if len(sentence.split()) < _LEAST_WORDS or _ASKS.stand_in(sentence):
        return False
    if _BECAUSE.stand_in(sentence):
        return True
    sentence = _FORBIDS.sub(" ", sentence)
    return _WRONG.stand_in(sentence) and not _ASKS_FOR.match(crisp(sentence))
