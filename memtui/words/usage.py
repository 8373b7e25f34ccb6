"""What sessions did with a memory that they were given, in words."""

from __future__ import annotations

from collections.abc import Iterable

from memtui.formatting import count, plural
from store.text.display import visible_line
from store.usage.values import Counts, Evidence, Kind

UNUSED_QUERY = "is:unused -is:muted"
"""Finds what is always told and never used, without what is muted."""


def usage_words(counts: Counts | None) -> str:
    """Return how many sessions used a memory, such as "used in 6 of 8 sessions it was told in";
    nothing where none was given it.
    """
    if counts is None:
        return ""
    sessions = plural(counts.told, "session")
    words = f"used in {count(counts.used) if counts.used else 'none'} of {sessions} it was told in"
    if counts.came_back:
        words += f"; its error came back in {count(counts.came_back)}"
    return words


def last_use_words(evidence: Iterable[Evidence]) -> str:
    """Return how a session used a memory, such as "changed store/lock.py, ran `make test`"."""
    done = (_done(each) for each in evidence if each.kind is not Kind.CAME_BACK)
    return visible_line(", ".join(done))


def _done(evidence: Evidence) -> str:
    """Return what a session did: "ran `make test`, which failed"."""
    if evidence.kind is Kind.READ:
        return "read it in full"
    if evidence.kind is Kind.RAN:
        return f"ran `{evidence.what}`" + (", which failed" if evidence.failed else "")
    return f"{evidence.kind} {evidence.what}"
