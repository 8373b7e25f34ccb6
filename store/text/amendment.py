"""Statements that change what was said before: how they say so, and what they speak of."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from store.text.content_words import content_words
from store.text.spaced import spaced

_MARKS = (
    r"\b(?:amend\w*|supersed\w*|overrul\w*|overrid(?:es|den)|revok\w*|rescind\w*|revis(?:ed|ing|es)"
    r"|scrap(?:ped|ping)?|no longer|not any ?more|replac(?:es|ed|ing)|revers(?:es|ed|ing)"
    r"|new (?:rule|policy)|(?:changed?|changing) (?:our|my|the) (?:mind|rule|plan|policy|decision)"
    r"|from now on|going forward|instead of the (?:old|earlier|previous)"
    r"|switch(?:es|ed|ing)? (?:from|away|over|to)|substitui\w*|ersetzt)\b"
)
"""How a statement says that it changes an earlier one."""
_HINTS = re.compile(
    rb" (?:amend|supersed|overr|re(?:vo|scind|vis|plac|vers)|scrap|n(?:o longer|ot any|ew rule"
    rb"|ew policy)|chang|from now on|going forward|instead of the|switch|substitui|ersetzt)"
)
"""How each of these begins in a text that is spaced: looked for first, since most texts say nothing
of the kind, and what does say it is read from there."""
_ONE_MATTER = 0.4
"""The share of the content words of the shorter that two statements of one matter have in common:
pairs that did had from .42 up, others at most .33 (`python -m tests.bench.sde`)."""
_LEAST_SHARED = 4


@lru_cache(maxsize=8_192)
def is_amendment(text: str) -> bool:
    """Whether a text says that it changes something said before."""
    lowered = text.lower()
    begun = (found.start() for found in _HINTS.finditer(spaced(lowered)))
    return any(_marks().match(lowered, at) for at in begun)


@cache
def _marks() -> re.Pattern[str]:
    """For texts in lower case, in a quarter of the time that ignoring case takes; compiled where a
    text may say so: most commands never ask."""
    return re.compile(_MARKS)


def sameness(newer: str, older: str) -> float:
    """How surely (0 to 1) two statements speak of one matter: the share of the content words of
    the shorter that both have; 0 where that says nothing.
    """
    one, other = content_words(newer), content_words(older)
    shared, least = len(one & other), min(len(one), len(other))
    if shared < _LEAST_SHARED or shared < _ONE_MATTER * least:
        return 0.0
    return shared / least
