"""Spans of secrets in a text, and the randomness of a piece of text."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text, by character offsets, and the rule that found it."""

    start: int
    end: int
    rule: str


def entropy(text: str) -> float:
    """Shannon entropy in bits a character; 0 for an empty text."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
