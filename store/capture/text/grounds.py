"""What a change is about, in words, so that what is told of it can be held against what was done.

An agent's last message also speaks of the branch, of its tools and of what it looked at: a sentence
belongs to a change where it shares its words with the files, or with what was written into them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from store.agents.session import Step
from store.capture.steps.tools import texts_of
from store.text.content_words import code_words

_MOST = 40_000
"""Characters of what a change wrote that are looked at."""
_TELLING = 15
"""Words that must have been written for it to say what a change is about."""
_LEAST_SHARED, _LEAST_SHARE, _SPEAKS_FOR_ITSELF = 2, 0.3, 4
"""Words, and the share of them, that two texts have in common where they are about the same; words
of a text that needs no grounds.
"""
OF_ANY_WORK = code_words(
    "add address again agent all apply better branch build bug change check clean code comment"
    " commit create do done edit error fail file fix format handle implement issue let like lint"
    " look make merge more need new now one open option plan please pr problem proceed pull push"
    " put remove rename review run same see show test thing try two update use want way work write"
    " yes yeah great good sure should would could really sound get go going start thank idea"
    " move next"
    " phase step everything thing comment thread feedback valid bunch question quick few another"
    " latest"
    " current main back ahead work already still first second third both these those there lot bit"
)
"""Words that any request for work may have: they say nothing of what was asked for."""


class Grounds(NamedTuple):
    """The words of a change; none where what was done is not to be seen."""

    words: frozenset[str] = frozenset()

    def hold(self, text: str) -> bool:
        """Whether a text speaks of the change. Everything does where nothing is known of it."""
        if not self.words:
            return True
        words = code_words(text)
        shared = len(words & self.words)
        return shared >= min(_LEAST_SHARED, len(words)) and shared >= _LEAST_SHARE * len(words)


def grounds_of(steps: Iterable[Step], paths: Iterable[str]) -> Grounds:
    """The words of the files that steps changed, and of what they wrote into them."""
    written: list[str] = []
    left = _MOST
    for text in (text for step in steps for text in texts_of(step.call)):
        written.append(text[:left])
        left -= len(written[-1])
    words = code_words("\n".join(written))
    return Grounds(words | code_words(" ".join(paths))) if len(words) >= _TELLING else Grounds()


def says_what(title: str, grounds: Grounds) -> bool:
    """Whether a request says by itself what it is about: some words of its own, or of the change.

    "Fix both of them" says nothing to who did not read what stood before it.
    """
    own = code_words(title) - OF_ANY_WORK
    if len(own) >= _SPEAKS_FOR_ITSELF:
        return True
    return len(own) >= _LEAST_SHARED and (not grounds.words or bool(own & grounds.words))


def asked_below(title: str) -> str:
    """What was asked for, to stand below what came of it; empty where it does not say what."""
    return f"\nAsked: {title}" if says_what(title, Grounds()) else ""
