"""Memories that were injected into a session already, so that none is injected twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from store.platform.json_fields import strings


class AlreadyInjected(NamedTuple):
    """The ids of the observations that a session has in front of it, and what they were for."""

    ids: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()


def already_injected(entries: Iterable[Mapping[str, Any]], session_id: str) -> AlreadyInjected:
    """Collect what was injected into a session since its context began, by the activity log."""
    ids: set[str] = set()
    about: set[str] = set()
    if not session_id:
        return AlreadyInjected()
    for entry in entries:
        if entry.get("type") != "recalled" or entry.get("sessionId") != session_id:
            continue
        if entry.get("afresh") is True:
            ids.clear()
            about.clear()
        ids.update(strings(entry.get("observationIds")))
        about.update(strings(entry.get("about")))
    return AlreadyInjected(frozenset(ids), frozenset(about))
