"""Memories that a later statement amends: that is as relevant as they are. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from store.model import Layer, Observation, layer_of
from store.recall.session_notes import ending_of
from store.recall.values import Candidate, Kind
from store.text.content_words import content_words

_LEADING = 20
"""How many of the most relevant memories are looked at for what amends them."""
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)
_AMENDING = re.compile(
    r"\b(?:amend\w*|supersed\w*|overrul\w*|overrid(?:es|den)|revok\w*|rescind\w*"
    r"|revis(?:ed|ing|es)|scrap(?:ped|ping)?|replac(?:es|ed|ing)|revers(?:es|ed|ing)|revert(?:s|ed)"
    r"|no longer|not any ?more|instead of|rather than|dropped|deprecated|obsolete|moved away from"
    r"|(?:changed?|changing) (?:our|my|the) (?:mind|rule|plan|policy|decision)|new (?:rule|policy)"
    r"|switch(?:es|ed|ing)? (?:from|away|over|to)|from now on|going forward"
    r"|substitui\w*|ersetzt)\b"
)
"""How a statement, in small letters, says that it changes an earlier one."""
_ONE_MATTER = 0.4
"""The share of the content words of the shorter that two statements of one matter have in common:
pairs that did had from .42 up, others at most .33 (`python -m tests.bench.sde`)."""
_LEAST_SHARED = 4


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


def is_statement(observation: Observation) -> bool:
    """Return whether the memory states something that holds until it is changed."""
    return layer_of(observation.category) in _STATING


def _is_stating(candidate: Candidate) -> bool:
    return candidate.kind is Kind.MEMORY and is_statement(candidate.observation)


def _statement_of(candidate: Candidate) -> str:
    """Return what a candidate states: a session by how it ended; empty where it states nothing."""
    if candidate.kind is Kind.SESSION:
        return ending_of(candidate.observation.content)
    return candidate.observation.content if _is_stating(candidate) else ""


def _is_amended(older: Observation, newer: Observation, words: str) -> bool:
    """A later session's words that change something speak of what an older statement does."""
    if newer.timestamp <= older.timestamp or newer.session_id == older.session_id:
        return False
    return is_same_matter(words, older.content.partition("\n")[0])


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


@lru_cache(maxsize=8_192)
def is_amendment(text: str) -> bool:
    """Return whether a text declares a change of something earlier."""
    return _AMENDING.search(text.lower()) is not None


def is_same_matter(newer: str, older: str) -> bool:
    """Return whether two statements speak of one matter."""
    one, other = content_words(newer), content_words(older)
    shared, least = len(one & other), min(len(one), len(other))
    return shared >= max(_LEAST_SHARED, _ONE_MATTER * least)
