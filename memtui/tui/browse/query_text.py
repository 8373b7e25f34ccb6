"""The text of a query as the search box edits it: its filters, and what could complete it.

`store.search.query` knows what a query means, and where its parts are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from store.model import Category, Facets, Observation, issue_named
from store.search.fields import TABLE, Values
from store.search.query import NAMES, SORTS, Query, Sort, Span, SpanKind, parse_query

_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
"""The place of a filter doesn't depend on the time."""
_VALUES = (SpanKind.VALUE, SpanKind.UNKNOWN)


class Written(NamedTuple):
    """A filter as it is written: `field:value` from `start` to `end`, with its minus if any."""

    field: str
    value: str
    start: int
    end: int
    excluded: bool

    @property
    def value_start(self) -> int:
        return self.end - len(self.value)


def spans(text: str) -> tuple[Span, ...]:
    return _parsed(text).spans


@lru_cache(maxsize=4)
def _parsed(text: str) -> Query:
    """Return the query of a text: a key asks for it several times."""
    return parse_query(text, _ANY_TIME)


def order_of(text: str) -> Sort:
    return _parsed(text).order


def next_order(text: str) -> str:
    following = SORTS[(SORTS.index(order_of(text)) + 1) % len(SORTS)]
    return choose(text, "sort", (following,))


def filters(text: str) -> Iterator[Written]:
    found = spans(text)
    for index, span in enumerate(found):
        if span.kind is not SpanKind.FIELD:
            continue
        before = found[index - 1] if index else None
        after = found[index + 1] if index + 1 < len(found) else None
        excluded = before is not None and before.kind is SpanKind.NOT and before.end == span.start
        end = span.end
        if after is not None and after.start == end and after.kind in _VALUES:
            end = after.end
        name = text[span.start : span.end].rstrip(":").lower()
        yield Written(name, text[span.end : end], span.start - excluded, end, excluded)


def chosen(text: str, field: str) -> tuple[str, ...]:
    """Return the values that the query's `field:` filters ask for, in order, without repeats."""
    values = (
        value
        for written in filters(text)
        if written.field == field and not written.excluded
        for value in _values(written.value)
    )
    return tuple(dict.fromkeys(value for value in values if value))


def chosen_issues(text: str) -> list[int]:
    """Return the issues that the filters `issue:` of a query ask for, without what is no number."""
    issues = map(issue_named, chosen(text, "issue"))
    return [issue for issue in issues if issue is not None]


def suggested(text: str, level: str = "") -> Observation:
    """The beginning of a new observation: agent, issue, category and level as the query asks for
    them; without that, of a `level`, which is empty where only one is open.
    """

    def first(field: str, default: str) -> str:
        return next(iter(chosen(text, field)), default)

    return Observation(
        agent=first("agent", "user"),
        issue_number=issue_named(first("issue", "0")) or 0,
        category=first("category", Category.KEY_FACT),
        content="",
        tags=chosen(text, "tag"),
        level=first("level", level) if level else "",
    )


def choose(text: str, field: str, values: Iterable[str]) -> str:
    """Return the query with `field` asking for exactly `values`; none takes the filter away.

    A new filter goes in front, so that the word still being typed stays the last one; where a
    filter is the last piece, a blank follows it for the next.
    """
    joined = ",".join(map(_quoted, values))
    wanted = f"{field}:{joined}" if joined else ""
    parts: list[str] = []
    at = 0
    for written in filters(text):
        if written.field == field and not written.excluded:
            parts += [text[at : written.start].strip(), wanted]
            at, wanted = written.end, ""
    parts = [part for part in (wanted, *parts, text[at:].lstrip()) if part]
    done = " ".join(parts)
    return f"{done} " if any(written.end == len(done) for written in filters(done)) else done


def _values(written: str) -> list[str]:
    return [value.strip('"') for value in re.findall(r'"[^"]*"?|[^,"]+', written)]


def _quoted(value: str) -> str:
    """A value as it is written in a query: in quotes where it would end too early without."""
    return f'"{value}"' if any(char.isspace() or char == "," for char in value) else value


def toggle(text: str, field: str, value: str) -> str:
    """Return the query with `value` added to what `field` asks for, or taken out of it."""
    values = chosen(text, field)
    if value in values:
        return choose(text, field, [other for other in values if other != value])
    return choose(text, field, [*values, value])


class Completion(NamedTuple):
    """Completions of the text before the cursor: `options` replace `start` to `end`.

    `field` is that whose values are offered; empty where names of fields are.
    """

    start: int
    end: int
    field: str
    options: tuple[str, ...]

    def accept(self, text: str, option: str) -> tuple[str, int]:
        """Return the query with `option` put in, and where the cursor then is."""
        done = text[: self.start] + (_quoted(option) if self.field else option)
        if self.field and not text[self.end :].startswith((" ", ",")):
            done += " "
        return done + text[self.end :], len(done)


def completion(
    text: str, cursor: int, known: Mapping[str, Sequence[str]], *, limit: int = 6
) -> Completion | None:
    """Find completions at the cursor, best first; None where nothing is missing.

    `known` gives the values of each field. Values that begin with what is typed come first,
    else near misses by rapidfuzz.
    """
    for written in filters(text):
        if written.value_start <= cursor <= written.end:
            typed = text[written.value_start : cursor].rpartition(",")[2]
            end = cursor + len(text[cursor : written.end].partition(",")[0])
            taken = {*_values(written.value)} - {typed}
            values = [value for value in known.get(written.field, ()) if value not in taken]
            options = _near(typed, values, limit)
            if not options or options[0] == typed:
                return None
            return Completion(cursor - len(typed), end, written.field, options)
    for span in spans(text):
        if span.kind is SpanKind.WORD and span.end == cursor:
            typed = text[span.start : cursor].lower()
            names = tuple(f"{name}:" for name in NAMES if name.startswith(typed))
            return Completion(span.start, cursor, "", names) if names and len(typed) > 1 else None
    return None


def known_values(facets: Facets) -> dict[str, list[str]]:
    """Values to complete in a query, most frequent first and newest issues."""
    known = {}
    for field in TABLE:
        if field.is_counted:
            counts = facets.counts.get(field.name, {})
            is_number = field.values is Values.NUMBER
            order = sorted(counts, key=lambda value: -value if is_number else -counts[value])
            known[field.name] = list(map(str, order))
    return known


def expand_half_typed(text: str, known: Mapping[str, Sequence[str]]) -> str:
    """Return the query to ask while its last value is half typed: with all that value could become.

    Like a last word, which is looked for as a prefix, `agent:eng` finds what `agent:engineer` will.
    """
    half = completion(text, len(text), known)
    if half is None or not half.field or half.start == len(text):
        return text
    typed = text[half.start :].casefold()
    meant = [value for value in half.options if value.casefold().startswith(typed)]
    return text[: half.start] + ",".join(map(_quoted, meant)) if meant else text


def _near(typed: str, values: Sequence[str], limit: int) -> tuple[str, ...]:
    """The values that begin with `typed`, case ignored, or where none does are spelled like it."""
    folded = typed.casefold()
    begins = [value for value in values if value.casefold().startswith(folded)]
    if begins or len(typed) < 2:
        return tuple(begins[:limit])
    from rapidfuzz import fuzz, process  # heavy: only when a spelling is off

    close = process.extract(typed, values, scorer=fuzz.WRatio, limit=limit, score_cutoff=60)
    return tuple(value for value, _score, _index in close)
