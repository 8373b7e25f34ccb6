"""Messages that were found, with those next to them, each shown once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from store.model import Hit
from store.sessions.documents import session_of
from store.sessions.model import Neighbours


class Excerpt(NamedTuple):
    """A message that was found, and those before and after it that are to be shown with it."""

    hit: Hit
    before: str
    after: str


def excerpts(hits: Iterable[Hit], around: Mapping[str, Neighbours]) -> list[Excerpt]:
    """Return what was found by session, in order of time, no message twice.

    Sessions come as their best message does. Where two that were found are next to each other, or
    have the same message between them, it belongs to one of them.
    """
    by_session: dict[str, list[tuple[int, Hit]]] = {}
    for hit in hits:
        place = around[hit.entry.id].place
        by_session.setdefault(session_of(hit.entry.id), []).append((place, hit))
    found: list[Excerpt] = []
    for placed in by_session.values():
        places = {place for place, _ in placed}
        last = -1
        for place, hit in sorted(placed, key=lambda pair: pair[0]):
            near = around[hit.entry.id]
            before = near.before if place - 1 > last else ""
            after = near.after if place + 1 not in places else ""
            found.append(Excerpt(hit, before, after))
            last = place + 1
    return found
