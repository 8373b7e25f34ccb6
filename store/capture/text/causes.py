"""What an agent says of causes: why something failed or was changed, and how it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from store.agents.transcript import Message
from store.capture.candidate import shorten
from store.capture.text.chatter import is_aside, is_progress
from store.capture.text.prose import CODE_NAME, announces, sentences
from store.text.phrases import Phrases
from store.text.regex import regex

_SHORTEST_WHY, _LONGEST_WHY, _LEAST_WORDS = 40, 360, 6
"""Characters of a reason, and the words that it has beside the names of code."""
_LONGEST_SENTENCE = 400
"""Characters of a sentence that is looked at for a cause."""
FOUND_IT = regex(
    r"\bfound (?:it|(?:the|a) (?:\w+ ){0,2}(?:bug|issue|problem|cause|culprit|reason))\b", re.I
)
"""Who says so answers why, whatever was asked."""
_CAUSE = Phrases(
    "root cause|because|due to|caused by|turns out|that's why|that’s why|porque|causa",
    {
        "issue |problem |bug |cause |reason |failure |culprit ": (
            r"\b(?:the|this|real|actual|underlying|likely|main)"
            r" (?:issue|problem|bug|cause|reason|failure|culprit) (?:is|was|here|comes|came)\b"
        ),
        "since": r"[,(] since\b|^since\b",
        "which ": r"\bwhich (?:means|meant|is why|caused)\b",
    },
)
_NAMES_CAUSE = regex(r"\b(?:cause|why|reason):|\b(?:when|while|after|until|unless|but)\b", re.I)
_NO_REASON = regex(
    r"^using (?:the )?.{0,40}\bskill\b|^(?:but|so|or|and"
    r"|this one|these|they|it['’]?s?|that['’]?s?|this|looking at|line \d|now"
    r"|also|since"
    r" (?:i|we|the (?:tests?|checkout|branch))\b)\b|\b(?:i['’](?:ll|m|ve|d)|i (?:think|believe"
    r"|suspect|can"
    r"|could|should|will|need)|we (?:should|could|can|need)|let['’]s|maybe|perhaps|probably|might"
    r"|cleanest|simplest|easiest|next step|before committing|tests? (?:still )?pass|not mine"
    r"|someone else)\b",
    re.I,
)
_OF_HERE = regex(r"\bin this (?:environment|sandbox|session)\b", re.I)
_EXPLAINS = Phrases(
    "only|missing|lost|expect|expects|assume|assumes|require|requires|need|needs|instead|relies"
    "|because|still|never",
    {
        "n't|n’t| not| never| no": (
            r"\b(?:is|are|was|were|does|do|did|has|have|can|will)(?:n['’]t| not| never| no)\b"
        ),
        " by| before| when": (
            r"\b(?:masked|shadowed|swallowed|hidden|overridden|overwritten|clobbered|eaten"
            r"|stripped) (?:by|before|when)\b"
        ),
    },
)
_COUNTS = regex(
    r"^(?:there(?: is| are|['’]s)|interestingly|as expected|they both|i\b|we\b|all\b|tests?\b|now\b"
    r"|the (?:\w+ )?(?:tests?|build|lint\w*)\b|good|great|only (?:one|two|a|\d))",
    re.I,
)
_ONLY_WHERE = regex(
    r"(?:the |this )?(?:\w+ ){0,2}(?:bug|issue|problem|cause|culprit) (?:is|was|lies) (?:in|on|at)"
    r" (?:the |line )*(?:`[^`]{1,80}`|\d+)(?: \w+){0,2}(?: (?:in|of|at) `[^`]{1,80}`)?[.,!]?",
    re.I,
)
"""That a fault is in a place does not say which it is."""
_CONFIRMS = regex(
    r"\b(?:confirm|let me|i see\b|now i|i can see|makes sense|good (?:idea|catch))", re.I
)


def cause_in(
    said: Iterable[Message], before: int, about: Callable[[str], bool]
) -> tuple[str, Message | None]:
    """The agent's sentence that says why, the last before a line; with where it stands.

    Only one that `about` takes, and that is no plan, no guess and no part of another sentence.
    """
    found: tuple[str, Message | None] = ("", None)
    for each in said:
        if each.line > before:
            break
        for sentence in sentences(each.text):
            if not _tells_why(sentence) or _NO_REASON.search(sentence) or not about(sentence):
                continue
            if "root cause" not in found[0].lower():
                found = (shorten(sentence, _LONGEST_WHY), each)
        if not found[0] and (it := next(filter(about, _after_found(each.text)), "")):
            found = (shorten(it, _LONGEST_WHY), each)
    return found


def _after_found(text: str) -> Iterator[str]:
    """What follows where a message says that it found it, as far as it names something."""
    at = FOUND_IT.search(text)
    for sentence in sentences(text[at.end() :].lstrip("*!.: ")) if at else ():
        if len(sentence) < _SHORTEST_WHY or sentence.endswith(("?", ":")) or announces(sentence):
            continue
        is_said = len(CODE_NAME.sub("", sentence).split()) >= _LEAST_WORDS
        if is_said and CODE_NAME.search(sentence) and not _NO_REASON.search(sentence):
            yield sentence


def causes_in(said: Sequence[Message], after: Message | None) -> tuple[str, Message | None]:
    """The sentences that say why something failed, at most two of one message; with where.

    What was said right `after` it may also just say how things are.
    """
    for each in sorted(said, key=lambda each: "root cause" not in each.text.lower()):
        told = [it for it in sentences(each.text) if _tells_why(it) and not is_aside(it)]
        if told:
            return shorten(" ".join(told[:2]), _LONGEST_WHY), each
    told = [each for each in sentences(after.text) if _tells_how_it_is(each)] if after else []
    return (shorten(" ".join(told[:2]), _LONGEST_WHY), after) if told else ("", None)


def _tells_how_it_is(sentence: str) -> bool:
    if not _SHORTEST_WHY <= len(sentence) <= _LONGEST_SENTENCE or sentence.endswith(("?", ":")):
        return False
    if _CONFIRMS.search(sentence) or is_progress(sentence) or _COUNTS.match(sentence):
        return False
    if announces(sentence) or is_aside(sentence) or sentence.lower().startswith("expected"):
        return False
    return _EXPLAINS.stand_in(sentence)


@lru_cache(maxsize=512)
def names_cause(text: str) -> bool:
    """Whether a text says that one thing is because of another."""
    return _CAUSE.stand_in(text)


def tells_cause(text: str) -> bool:
    """Whether a text says why something was so, or how it is."""
    return bool(names_cause(text) or _EXPLAINS.stand_in(text) or _NAMES_CAUSE.search(text))


def tells_limit(sentence: str) -> bool:
    """Whether a sentence says what something is not, needs, or does alone."""
    return _EXPLAINS.stand_in(sentence)


def _tells_why(sentence: str) -> bool:
    if not _SHORTEST_WHY <= len(sentence) <= _LONGEST_SENTENCE or sentence.endswith(("?", ":")):
        return False
    if sentence.count("`") % 2 or _OF_HERE.search(sentence):
        return False
    if announces(sentence) or _CONFIRMS.search(sentence) or _ONLY_WHERE.fullmatch(sentence):
        return False
    return bool(names_cause(sentence) and CODE_NAME.search(sentence))
