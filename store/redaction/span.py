"""Stretches of a text, as the rules find them."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text, by character offsets, and the rule that found it."""

    start: int
    end: int
    rule: str
