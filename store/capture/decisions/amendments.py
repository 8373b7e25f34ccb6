"""A decision that changes an earlier one names it, so that the earlier one gives way in recall."""

from __future__ import annotations

from collections.abc import Iterable

from store.model import Category, Observation
from store.text.amendment import says_it_amends
from store.text.content_words import content_words, covered

_SETTLING = frozenset({Category.DECISION, Category.LESSON, Category.KEY_FACT})
_ONE_SUBJECT = 0.4
_LEAST_SHARED = 4
"""Words that two decisions about one subject share."""


def amended_by(new: Observation, held: Iterable[Observation]) -> str:
    """The id of the held decision that a new one says it changes; empty where it changes none."""
    if new.category not in _SETTLING or not says_it_amends(new.content):
        return ""
    words = content_words(new.content)
    best, found = 0.0, ""
    for old in held:
        if old.category not in _SETTLING or old.archived or old.session_id == new.session_id:
            continue
        before = content_words(old.content.partition("\n")[0])
        share = covered(before, words)
        if share >= _ONE_SUBJECT and share > best and len(before & words) >= _LEAST_SHARED:
            best, found = share, old.id
    return found
