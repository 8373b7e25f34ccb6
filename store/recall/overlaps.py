"""Memories that give way to a newer one: it says the same, sums them up, or undoes them. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from store.model import Layer, Observation, layer_of
from store.recall.amendments import is_amendment
from store.recall.reasons import Verdict
from store.text.content_words import content_words, covered
from store.text.facts import Facts, facts_of
from store.text.similarity import is_covered_by, is_reordered

_SAME = 0.8
"""The share of the words of both from which two of one category say the same."""
_SAME_SUBJECT = 0.6
"""The share of the words of both from which two statements with another number, or a negation in
one of them, are about one thing."""
_REPLACED = 0.75
"""The share of a statement's words that one has which negates it, or says that it changes it."""
_LEAST_COVERED = 0.5
"""The share of the older one's words below which no newer one is read closely."""
_MOST_FIGURES = 3
"""How often a figure may have changed. Where more say the same with other figures, these number
the parts of a series, and each of them holds."""
_STATING = (Layer.SEMANTIC, Layer.PROCEDURAL)


def giving_way(observations: Sequence[Observation]) -> dict[str, tuple[Verdict, Observation]]:
    """For the id of each that gives way: the reason, and the newer one it gives way to.

    A newer one wins when it names the older among its sources, when it says all that the older
    says, or when both state something (semantic, procedural) of one subject in one issue and differ
    in a negation or a number, or the newer says that something was replaced.
    """
    newest_first = sorted(observations, key=_age, reverse=True)
    summaries = _summaries(newest_first)
    valid: defaultdict[str, list[Observation]] = defaultdict(list)
    ways: dict[str, tuple[Verdict, Observation]] = {}
    for older in newest_first:
        if older.id in summaries:
            ways[older.id] = Verdict.SUMMED_UP, summaries[older.id]
            continue
        comparable = valid["" if _is_stating(older) else older.category]
        for newer in comparable:
            if (why := _why(older, newer)) is not None:
                ways[older.id] = why, newer
                break
        else:
            comparable.append(older)
    return _without_series(ways)


def _age(observation: Observation) -> tuple[object, str]:
    return observation.timestamp, observation.id


def _summaries(newest_first: Sequence[Observation]) -> dict[str, Observation]:
    """For the id of each that is named among the sources of another the newest that names it. Of
    two that name each other the newer sums up the other.
    """
    by_id = {observation.id: observation for observation in newest_first}
    return {
        source: summary
        for summary in reversed(newest_first)
        for source in summary.sources
        if (named := by_id.get(source)) is not None
        and named is not summary
        and (summary.id not in named.sources or _age(named) < _age(summary))
    }


def _without_series(
    ways: dict[str, tuple[Verdict, Observation]],
) -> dict[str, tuple[Verdict, Observation]]:
    """Leave out the parts of a series, which differ in their numbers alone."""
    changed = Counter(newer.id for why, newer in ways.values() if why is Verdict.SUPERSEDED)
    return {
        older: (why, newer)
        for older, (why, newer) in ways.items()
        if why is not Verdict.SUPERSEDED or changed[newer.id] <= _MOST_FIGURES
    }


def _why(older: Observation, newer: Observation) -> Verdict | None:
    """Reason why the older of two gives way; None where it does not. Both are statements, or of one
    category.
    """
    is_same_kind = older.category == newer.category
    if not is_same_kind and older.issue_number != newer.issue_number:
        return None
    if covered(content_words(older.content), content_words(newer.content)) < _LEAST_COVERED:
        return None
    facts, newer_facts = facts_of(older.content), facts_of(newer.content)
    if (
        is_same_kind
        and is_covered_by(facts, newer_facts)
        and _alike(facts.bag, newer_facts.bag) >= _SAME
        and not is_reordered(older.content, newer.content)
    ):
        return Verdict.REPEATED
    are_statements = older.issue_number == newer.issue_number and _is_stating(older)
    return _undone(facts, newer_facts, newer) if are_statements else None


def _is_stating(observation: Observation) -> bool:
    return layer_of(observation.category) in _STATING


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share (0 to 1) of the words of both that they have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one else 0.0


def _undone(older: Facts, newer: Facts, statement: Observation) -> Verdict | None:
    """Way in which a newer statement undoes an older one; None where it does not."""
    if not older.words:
        return None
    same_things = older.identifiers == newer.identifiers and older.paths == newer.paths
    is_same_subject = _alike(older.words, newer.words) >= _SAME_SUBJECT
    says_all = covered(older.words, newer.words) >= _REPLACED
    if same_things and (is_same_subject or says_all) and older.contrasts != newer.contrasts:
        return Verdict.CONTRADICTED
    other_numbers = older.numbers != newer.numbers and bool(older.numbers) == bool(newer.numbers)
    if same_things and is_same_subject and other_numbers:
        return Verdict.SUPERSEDED
    if says_all and is_amendment(statement.content):
        return Verdict.REPLACED
    return None
