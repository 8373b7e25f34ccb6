"""What the rows ask of texts: of one, or of two with a line `---` between them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from store.text import (
    amendment,
    comments,
    content_words,
    facts,
    features,
    normalise,
    order,
    relative_dates,
    similarity,
    span,
    tokens,
    turns,
    wiki_links,
)
from store.text.tokens import Family
from tests.rows import Ask

_NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def _of_two(ask: Callable[[str, str], Any]) -> Ask:
    def both(text: str) -> Any:  # noqa: ANN401 - whatever is asked
        one, _, other = text.partition("\n---\n")
        return ask(one, other)

    return both


def _covered(part: str, whole: str) -> float:
    return content_words.covered(frozenset(part.split()), frozenset(whole.split()))


def _facts(text: str) -> str:
    read = facts.facts_of(text)
    told = {name: getattr(read, name) for name in read._fields if name != "marks"}
    return "; ".join(f"{name} {' '.join(sorted(it))}" for name, it in told.items() if it)


def _kept(fact: str, text: str) -> tuple[bool, list[str], str]:
    held, asked = facts.facts_of(text), facts.facts_of(fact)
    missing = sorted(facts.missing_marks(held, asked))
    return facts.kept(fact, text), missing, f"{facts.word_share(held, asked):.2f}"


def _names(text: str) -> frozenset[str]:
    """What a memory is called: its id, its title and its words have lines `---` between them."""
    identifier, summary, content = (*text.split("\n---\n"), "", "")[:3]
    return wiki_links.names_of(identifier, summary, content, {})


ASKS: dict[str, Ask] = {
    "amendment": amendment.says_it_amends,
    "amendment.sameness": _of_two(amendment.sameness),
    "comments": comments.without_comments,
    "content_words": content_words.content_words,
    "content_words.code_words": content_words.code_words,
    "content_words.covered": _of_two(_covered),
    "facts": _facts,
    "facts.kept": _of_two(_kept),
    "facts.statements": facts.statements,
    "facts.spellings": facts.spellings,
    "facts.subjects_of": facts.subjects_of,
    "normalise": normalise.normalise,
    "normalise.tokens": lambda text: [
        f"{it.kind} {it.value!r}{' quoted' if it.quoted else ''}" for it in normalise.tokens(text)
    ],
    "normalise.chunks": normalise.chunks,
    "order": _of_two(order.turned_round),
    "relative_dates": lambda text: relative_dates.with_dates(text, _NOW),
    "relative_dates.meant": lambda text: relative_dates.dates_meant(text, _NOW),
    "similarity": _of_two(similarity.similarity),
    "similarity.says_no_more": _of_two(
        lambda one, other: similarity.says_no_more(facts.facts_of(one), facts.facts_of(other))
    ),
    "span": span.entropy,
    "tokens": lambda text: [tokens.estimate(family).count(text) for family in Family],
    "tokens.features": features.features,
    "turns": turns.defused,
    "turns.has_turn_mark": turns.has_turn_mark,
    "wiki_links": wiki_links.links_in,
    "wiki_links.link_key": wiki_links.link_key,
    "wiki_links.names_of": _names,
}

OF_TWO = frozenset(
    {
        "amendment.sameness",
        "content_words.covered",
        "facts.kept",
        "order",
        "similarity",
        "similarity.says_no_more",
    }
)
