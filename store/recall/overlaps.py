"""Memories that give way to a newer one: it says the same, sums them up, or undoes them. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from store.model import Observation
from store.recall.amendments import is_amendment, is_statement
from store.recall.reasons import Verdict
from store.text.content_words import content_words, covered
from store.text.markdown import passages

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


def giving_way(observations: Sequence[Observation]) -> dict[str, tuple[Verdict, Observation]]:
    """For the id of each that gives way: the reason, and the newer one it gives way to.

    A newer one wins when it names the older among its sources, when it says all that the older
    says, or when both state something (semantic, procedural) of one subject in one issue and differ
    in a negation or a number, or the newer says that something was replaced.
    """
    newest_first = sorted(observations, key=_age, reverse=True)
    summaries = _summaries(newest_first)
    valid: defaultdict[str, list[tuple[Observation, frozenset[str]]]] = defaultdict(list)
    ways: dict[str, tuple[Verdict, Observation]] = {}
    for older in newest_first:
        if older.id in summaries:
            ways[older.id] = Verdict.SUMMED_UP, summaries[older.id]
            continue
        comparable = valid["" if is_statement(older) else older.category]
        words = content_words(older.content)
        for newer, newer_words in comparable:
            if covered(words, newer_words) < _LEAST_COVERED:
                continue
            if (why := _why(older, newer)) is not None:
                ways[older.id] = why, newer
                break
        else:
            comparable.append((older, words))
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
    if is_same_kind and is_repeated(older.content, newer.content):
        return Verdict.REPEATED
    if older.issue_number != newer.issue_number or not is_statement(older):
        return None
    if (conflict := conflict_of(older.content, newer.content)) is not None:
        return conflict
    from store.text.facts import facts_of  # few have so many words in common

    words = facts_of(older.content).words
    has_all_words = covered(words, facts_of(newer.content).words) >= _REPLACED
    return Verdict.REPLACED if has_all_words and is_amendment(newer.content) else None


def is_in_sentences(content: str, known: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """Return whether each sentence of a memory is a known one; these have their content words with
    them.
    """
    texts = [passage.text for passage in passages(content)]
    return bool(texts) and all(
        any(
            covered(content_words(text), words) >= _SAME and is_repeated(text, sentence)
            for sentence, words in known
        )
        for text in texts
    )


def is_repeated(older: str, newer: str) -> bool:
    from store.text.facts import facts_of
    from store.text.similarity import is_covered_by, is_reordered

    one, other = facts_of(older), facts_of(newer)
    return (
        is_covered_by(one, other)
        and alike(one.bag, other.bag) >= _SAME
        and not is_reordered(older, newer)
    )


def conflict_of(older: str, newer: str) -> Verdict | None:
    """Return how two statements of one subject differ, so that both can't hold: in a negation, or
    in a number; None where they don't.
    """
    from store.text.facts import facts_of

    one, other = facts_of(older), facts_of(newer)
    if not one.words or one.identifiers != other.identifiers or one.paths != other.paths:
        return None
    is_same_subject = alike(one.words, other.words) >= _SAME_SUBJECT
    has_all_words = covered(one.words, other.words) >= _REPLACED
    if one.contrasts != other.contrasts:
        return Verdict.CONTRADICTED if is_same_subject or has_all_words else None
    has_numbers = bool(one.numbers) and bool(other.numbers)
    if is_same_subject and has_numbers and one.numbers != other.numbers:
        return Verdict.SUPERSEDED
    return None


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share (0 to 1) of the words of both that they have in common (Jaccard)."""
    return len(one & other) / len(one | other) if one else 0.0
