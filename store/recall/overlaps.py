"""Which candidates give way: near-duplicates to the newest, statements to those that undo them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from store.model import Layer, Observation, layer_of
from store.text.facts import Facts, facts_of
from store.text.similarity import Blocks, says_no_more

_SAME = 0.8
_SAME_SUBJECT = 0.6
_TURNS = re.compile(
    r"\b(?:no longer|not any ?more|instead of|rather than|replac(?:es|ed|ing)|supersed(?:es|ed)|"
    r"revert(?:s|ed)|switched from|moved away from|dropped|deprecated|obsolete)\b",
    re.IGNORECASE,
)
_SUBJECT_OF_TURN = 0.75
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)


def giving_way(observations: Sequence[Observation]) -> dict[str, tuple[str, Observation]]:
    """For the id of each that gives way: the reason, and the newer one it gives way to.

    A newer one wins when it names the older among its sources, when it says all that the older
    says, or when both state something (semantic, procedural) of one subject in one issue and differ
    in a negation or a number, or the newer says that something was replaced.
    """
    by_age = sorted(observations, key=lambda it: (it.timestamp, it.id), reverse=True)
    facts = [facts_of(it.content) for it in by_age]
    named = {source: newer for newer in by_age for source in newer.sources}
    blocks = Blocks(it.bag for it in facts)
    ways: dict[str, tuple[str, Observation]] = {}
    for at, older in enumerate(by_age):
        summing = named.get(older.id)
        if summing is not None and summing.id != older.id:
            ways[older.id] = ("is summed up by", summing)
            continue
        for near in sorted(blocks.candidates(facts[at].bag)):
            reason = _reason(older, facts[at], by_age[near], facts[near])
            if reason:
                ways[older.id] = (reason, by_age[near])
                break
        else:
            blocks.add(at, facts[at].bag)
    return ways


def _reason(older: Observation, told: Facts, newer: Observation, tells: Facts) -> str:
    """Why the older of two gives way; empty where it does not."""
    same_kind = older.category == newer.category and says_no_more(told, tells)
    if same_kind and _alike(told.bag, tells.bag) >= _SAME:
        return "says the same as"
    states = layer_of(older.category) in _STATING and layer_of(newer.category) in _STATING
    if states and older.issue_number == newer.issue_number:
        return _undone(told, tells, newer)
    return ""


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share (0 to 1) of the words of both that they have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one and other else 0.0


def _undone(older: Facts, newer: Facts, statement: Observation) -> str:
    """How a newer statement undoes an older one; empty where it does not."""
    if not older.words:
        return ""
    same_things = older.identifiers == newer.identifiers and older.paths == newer.paths
    if same_things and _alike(older.words, newer.words) >= _SAME_SUBJECT:
        if older.contrasts != newer.contrasts:
            return "is contradicted by"
        if older.numbers != newer.numbers and bool(older.numbers) == bool(newer.numbers):
            return "is superseded by"
    covered = len(older.words & newer.words) / len(older.words)
    if covered >= _SUBJECT_OF_TURN and _TURNS.search(statement.content):
        return "is superseded by"
    return ""
