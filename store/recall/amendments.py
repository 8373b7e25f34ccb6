"""Memories that a later statement amends: that is as relevant as they are. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from store.model import Layer, Observation, layer_of
from store.recall.session_notes import ending_of
from store.recall.values import Candidate, Kind
from store.text.content_words import is_amendment, sameness

_LEADING = 20
"""How many of the most relevant memories are looked at for what amends them."""
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)


def with_amendments(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, those that another one amends with its id; that one is as relevant as
    they.

    One amends another that it names among its sources; one that says that it changes something
    amends the earlier ones of the most relevant that speak of the same matter, in another session.
    """
    places = {candidate.observation.id: at for at, candidate in enumerate(candidates)}
    linked = list(candidates)
    for at, candidate in enumerate(candidates):
        newer = candidate.observation
        for source in newer.sources:
            if source in places and source != newer.id:
                _link(linked, places[source], at)
    statements = [at for at, candidate in enumerate(candidates) if _is_stating(candidate)]
    leading = sorted(statements, key=lambda at: -candidates[at].signals.get("relevance", 0.0))
    for at, candidate in enumerate(candidates):
        words = _statement_of(candidate)
        if words and is_amendment(words):
            for place in leading[:_LEADING]:
                if _is_amended(candidates[place].observation, candidate.observation, words):
                    _link(linked, place, at)
    return linked


def _is_stating(candidate: Candidate) -> bool:
    """Return whether the memory states something that holds until it is changed."""
    return candidate.kind is Kind.MEMORY and layer_of(candidate.observation.category) in _STATING


def _statement_of(candidate: Candidate) -> str:
    """Return what a candidate states: a session by how it ended; empty where it states nothing."""
    if candidate.kind is Kind.SESSION:
        return ending_of(candidate.observation.content)
    return candidate.observation.content if _is_stating(candidate) else ""


def _is_amended(older: Observation, newer: Observation, words: str) -> bool:
    """A later session's words that change something speak of what an older statement does."""
    if newer.timestamp <= older.timestamp or newer.session_id == older.session_id:
        return False
    return sameness(words, older.content.partition("\n")[0]) > 0


def _link(linked: list[Candidate], place: int, newer: int) -> None:
    """Note what amends a candidate, the first that was found; a memory is then as relevant."""
    older = linked[place]
    if older.amended_by:
        return
    linked[place] = older._replace(amended_by=linked[newer].observation.id)
    if linked[newer].kind is Kind.MEMORY:
        signals = dict(linked[newer].signals)
        for name, value in older.signals.items():
            signals[name] = max(value, signals.get(name, 0.0))
        linked[newer] = linked[newer]._replace(signals=signals)
