"""The query language: what a user types, taken apart without ever failing.

Words must all match, the last one as a prefix; `"exact phrase"`, `-not`, fields such as
`agent:engineer,architect`, `before:2026-01`, `is:open`, `sort:newest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from store.errors import InvalidQuery
from store.model import Layer
from store.notice import Notice, notice
from store.search.dates import parse_moment
from store.search.fields import FIELDS, TABLE, Values
from store.text.closest_match import nearest

MAX_LENGTH = 1_000
"""Characters of a query that are looked at."""
MAX_TERMS = 32
"""Words and phrases of a query that are looked at."""
SHORT = 40
"""Characters of a word or phrase that are said again."""

NAMES = (*(field.name for field in TABLE), "before", "after", "is", "in", "sort")
"""What may stand before a colon."""
FLAGS = ("archived", "pinned", "muted", "open", "stale")

Place = Literal["memories", "sessions", "all"]
PLACES: tuple[Place, ...] = ("memories", "sessions", "all")

Sort = Literal["newest", "oldest", "tokens", "recalled", "relevance"]
SORTS: tuple[Sort, ...] = ("newest", "oldest", "tokens", "recalled", "relevance")


class SpanKind(StrEnum):
    """The kinds of stretches in a query, for colouring it."""

    WORD = "word"
    PHRASE = "phrase"
    FIELD = "field"
    VALUE = "value"
    NOT = "not"
    UNKNOWN = "unknown"


class Span(NamedTuple):
    """A stretch of the query's text, `start` to `end`."""

    start: int
    end: int
    kind: SpanKind


class Term(NamedTuple):
    """A word or phrase. `prefix`: still being typed, so its end may be missing."""

    text: str
    phrase: bool = False
    negated: bool = False
    prefix: bool = False


class Filter(NamedTuple):
    """A field that must, or must not, have one of some values."""

    field: str
    values: tuple[str, ...]
    negated: bool = False


class Query(NamedTuple):
    """A query taken apart. `notes` say what was not understood; `place` where it looks.

    `unfinished` say what may only be half typed: a search passes over it, a change does not.
    """

    text: str = ""
    terms: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    flags: tuple[Filter, ...] = ()
    before: datetime | None = None
    after: datetime | None = None
    sort: Sort | None = None
    place: Place = "memories"
    spans: tuple[Span, ...] = ()
    notes: tuple[Notice, ...] = ()
    unfinished: tuple[Notice, ...] = ()

    @property
    def matches_everything(self) -> bool:
        """Whether nothing in it narrows what is found."""
        dated = self.before is not None or self.after is not None
        return not (self.terms or self.filters or self.flags or dated)

    @property
    def order(self) -> Sort:
        """The order asked for: by relevance where there are words, else newest first."""
        if self.sort is not None:
            return self.sort
        return "relevance" if any(not term.negated for term in self.terms) else "newest"

    @property
    def needs_recall_counts(self) -> bool:
        """Whether the answer depends on how often and when observations were recalled."""
        return self.sort == "recalled" or any("stale" in flag.values for flag in self.flags)


_TOKEN = re.compile(
    r"""
    (?P<minus>-?)
    (?:
        (?P<field>[A-Za-z]+):(?P<value>(?:"[^"]*"?|[^\s"])*)
      | "(?P<phrase>[^"]*)(?P<close>"?)
      | (?P<word>[^\s"]+)
    )
    """,
    re.VERBOSE,
)


def parse_query(text: str, now: datetime) -> Query:
    """Take a query apart. Never raises; what makes no sense is searched as words, or noted."""
    query = Query(text=text)
    if len(text) > MAX_LENGTH:
        text = text[:MAX_LENGTH]
        query = _noted(query, notice("query-cut", characters=MAX_LENGTH))
    for match in _TOKEN.finditer(text):
        if len(query.terms) >= MAX_TERMS:
            query = _noted(query, notice("words-cut", words=MAX_TERMS))
            break
        field = match["field"]
        if field is not None and field.lower() in NAMES:
            query = _field(query, match, field.lower(), now)
        else:
            query = _term(query, match, at_end=match.end() == len(text))
            if field is not None and (meant := nearest(field, NAMES)):
                query = _noted(query, notice("field-misspelt", field=field, meant=meant))
            elif field is not None:
                query = _unfinished(query, notice("field-unknown", field=field))
    return query


def check_understood(query: Query) -> None:
    """Raise `InvalidQuery` for a query that is not understood in full.

    For whatever is changed or exported: a filter passed over there would take in all the rest.
    """
    missed = (*query.notes, *query.unfinished)
    if any(item.field == "branch" for item in query.filters):
        missed = (*missed, notice("finds-sessions", field="branch"))
    if query.place != "memories":
        missed = (*missed, notice("place-not-changed", place=query.place))
    if missed:
        raise InvalidQuery(
            f"The query {short(query.text)!r} is not clear.",
            "Nothing changed. See `memtui search --help`.",
            missed,
        )


def _term(query: Query, match: re.Match[str], *, at_end: bool) -> Query:
    negated = match["minus"] == "-"
    start, end = match.start() + negated, match.end()
    if match["phrase"] is not None:
        unfinished = at_end and not negated and not match["close"]
        term = Term(match["phrase"].strip(), phrase=True, negated=negated, prefix=unfinished)
        kind = SpanKind.PHRASE
    else:
        # A minus alone is the start of `-word`.
        text = query.text[start:end].strip('"')
        term = Term(text, negated=negated, prefix=at_end and not negated)
        kind = SpanKind.WORD
    spans = [Span(match.start(), start, SpanKind.NOT)] if negated else []
    spans.append(Span(start, end, kind))
    query = query._replace(spans=(*query.spans, *spans))
    if not any(char.isalnum() for char in term.text):
        shown = match.group().strip()
        if shown in {"", "-", '"', '-"', '""', '-""'}:
            return _unfinished(query, notice("term-empty", text=shown))
        return _noted(query, notice("term-empty", text=shown))
    if match["phrase"] is not None and not match["close"]:
        query = _unfinished(query, notice("quote-open", text=short(match.group().strip())))
    return query._replace(terms=(*query.terms, term))


def _field(query: Query, match: re.Match[str], field: str, now: datetime) -> Query:
    negated = match["minus"] == "-"
    start = match.start() + negated
    colon = match.start("value")
    spans = [Span(match.start(), start, SpanKind.NOT)] if negated else []
    spans.append(Span(start, colon, SpanKind.FIELD))
    values = tuple(dict.fromkeys(_values(match["value"])))
    done, note = _apply(query, field, values, now, negated=negated)
    if not values:
        done = _unfinished(done, notice("field-empty", field=field))
    elif match["value"].count('"') % 2:
        done = _unfinished(done, notice("quote-open", text=match.group()))
    elif not note and _is_given_twice(query, done, field, values):
        done = _unfinished(done, notice("field-twice", field=field))
    if match["value"]:
        kind = SpanKind.UNKNOWN if note else SpanKind.VALUE
        spans.append(Span(colon, match.end(), kind))
    done = done._replace(spans=(*query.spans, *spans))
    return _noted(done, note) if note else done


def _apply(
    query: Query, field: str, values: tuple[str, ...], now: datetime, *, negated: bool
) -> tuple[Query, Notice | None]:
    """The query with a field's values in it, and a note where they make no sense."""
    if not values:
        return query, None
    if field in ("before", "after"):
        return _with_moment(query, field, values[0], now, negated=negated)
    if field == "sort":
        return _with_sort(query, values[0])
    if field == "in":
        return _with_place(query, values[0], negated=negated)
    if field == "is":
        return _with_flags(query, values, negated=negated)
    if FIELDS[field].values is Values.NUMBER:
        return _with_numbers(query, field, values, negated=negated)
    if FIELDS[field].values is Values.LAYER and (
        strange := [value for value in values if value not in set(Layer)]
    ):
        query = _unfinished(query, _not_among(field, strange[0], Layer))
    return query._replace(filters=(*query.filters, Filter(field, values, negated))), None


def _with_moment(
    query: Query, field: str, value: str, now: datetime, *, negated: bool
) -> tuple[Query, Notice | None]:
    moment = parse_moment(value, now)
    if moment is None:
        return query, notice("value-no-date", field=field, value=value)
    if (field == "before") != negated:
        return query._replace(before=moment), None
    return query._replace(after=moment), None


def _with_sort(query: Query, value: str) -> tuple[Query, Notice | None]:
    sort = next((sort for sort in SORTS if sort == value), None)
    if sort is None:
        return query, _not_among("sort", value, SORTS)
    return query._replace(sort=sort), None


def _with_place(query: Query, value: str, *, negated: bool) -> tuple[Query, Notice | None]:
    place = next((place for place in PLACES if place == value and not negated), None)
    if place is None:
        return query, _not_among("in", value, PLACES)
    return query._replace(place=place), None


def _with_flags(
    query: Query, values: tuple[str, ...], *, negated: bool
) -> tuple[Query, Notice | None]:
    known = tuple(value for value in values if value in FLAGS)
    strange = len(known) < len(values)
    note = notice("flags-unknown", choices=", ".join(FLAGS)) if strange else None
    flags = (Filter("is", known, negated),) if known else ()
    return query._replace(flags=(*query.flags, *flags)), note


def _with_numbers(
    query: Query, field: str, values: tuple[str, ...], *, negated: bool
) -> tuple[Query, Notice | None]:
    numbers = {value: value.lstrip("#") for value in values}
    known = {
        value: str(int(number))
        for value, number in numbers.items()
        if number.isascii() and number.isdigit() and len(number) < 10
    }
    unknown = (value for value in values if value not in known)
    note = next((notice("value-no-number", field=field, value=it) for it in unknown), None)
    if not known:
        return query, note
    found = Filter(field, tuple(known.values()), negated)
    return query._replace(filters=(*query.filters, found)), note


def _is_given_twice(query: Query, done: Query, field: str, values: tuple[str, ...]) -> bool:
    """A field that takes one value is given more, so that one of them would be lost."""
    if field not in ("before", "after", "sort"):
        return False
    said = (query.sort, query.before, query.after)
    now = (done.sort, done.before, done.after)
    return len(values) > 1 or sum(map(bool, said)) == sum(map(bool, now))


def _values(text: str) -> Iterator[str]:
    for part in re.findall(r'"[^"]*"?|[^,"]+', text):
        value = part.strip('"').strip()
        if value:
            yield value


def _not_among(field: str, value: str, choices: Iterable[str]) -> Notice:
    return notice("value-not-among", field=field, value=value, choices=", ".join(choices))


def _unfinished(query: Query, note: Notice) -> Query:
    return query._replace(unfinished=(*query.unfinished, note))


def _noted(query: Query, note: Notice) -> Query:
    return query if note in query.notes else query._replace(notes=(*query.notes, note))


def short(text: str) -> str:
    """A text of the query as a sentence names it."""
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"
