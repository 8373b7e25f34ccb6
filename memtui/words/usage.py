"""What sessions did with a memory that they were told, in words."""

from __future__ import annotations

from memtui.formatting import count, plural
from store.usage.values import Counts

UNUSED_QUERY = "is:unused -is:muted"
"""Finds what is always told and never used, without what is told no more."""


def usage_words(counts: Counts | None) -> str:
    """Return how many sessions used a memory, such as "used in 6 of 8 sessions it was told in";
    nothing where none was told it.
    """
    if counts is None:
        return ""
    sessions = plural(counts.told, "session")
    words = f"used in {count(counts.used) if counts.used else 'none'} of {sessions} it was told in"
    if counts.came_back:
        words += f"; its error came back in {count(counts.came_back)}"
    return words
