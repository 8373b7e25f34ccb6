"""Changes of which nobody said why: told by the best of what else their session taught."""

from __future__ import annotations

from collections.abc import Sequence

from store.capture.candidate import Beside, listed
from store.model import Category, Observation
from store.text.content_words import code_words, covered

_CARRY = (Category.DECISION, Category.ERROR, Category.KEY_FACT, Category.LESSON, Category.HANDOFF)
_CHANGED = "\nChanged in this session: "
_MOST, _MOST_LISTED = 1_300, 300
"""Characters of a memory beyond which nothing is added to it, and of the files that are."""


def carrier_of(change: Beside, kept: Sequence[Observation]) -> int | None:
    """Which of what a session leaves shares most words with a change, of several the first; None
    where it leaves nothing that could tell it.
    """
    words = code_words(change.candidate.content)
    shared = {
        at: covered(words, code_words(each.content))
        for at, each in enumerate(kept)
        if each.category in _CARRY and len(each.content) <= _MOST
    }
    return max(shared, key=lambda at: shared[at], default=None)


def line_of(change: Beside, told: str) -> str:
    """What was changed, as far as what is `told` does not name its files; empty where it does."""
    files = [it for it in change.files if it.partition(" (")[0] not in told]
    if not files:
        return ""
    return f"{_CHANGED}{listed(files, _MOST_LISTED)}."


def without_carried(content: str) -> str:
    """What a memory tells, without the changes that it carries."""
    return content.partition(_CHANGED)[0]
