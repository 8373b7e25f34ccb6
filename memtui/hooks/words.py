"""The words of a prompt or an error that say something, for comparing it with memories."""

from __future__ import annotations


def stems_of(text: str) -> frozenset[str]:
    """The words of a text that say something, as stems."""
    from store.search.analyzers import stem
    from store.search.relevance import telling_words

    return frozenset(stem(word) for word in telling_words(text))
