"""The query language: what a user types, taken apart without ever failing.

Words must all match, the last one as a prefix; `"exact phrase"`, `-not`, fields such as
`agent:engineer,architect`, `before:2026-01`, `is:open`, `sort:newest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Literal, NamedTuple

from store.closest_match import nearest
from store.errors import InvalidQuery
from store.model import Layer
from store.search.dates import parse_moment

MAX_LENGTH = 1_000
"""Characters of a query that are looked at."""
MAX_TERMS = 32
"""Words and phrases of a query that are looked at."""
_SHORT = 40  # characters of a word or phrase that are said again

LIST_FIELDS = ("agent", "category", "layer", "issue", "tag", "id", "file", "branch")
FIELDS = (*LIST_FIELDS, "before", "after", "is", "in", "sort")
FLAGS = ("archived", "pinned", "muted", "open", "stale")

Place = Literal["memories", "sessions", "all"]
PLACES: tuple[Place, ...] = ("memories", "sessions", "all")

Sort = Literal["newest", "oldest", "tokens", "recalled", "relevance"]
SORTS: tuple[Sort, ...] = ("newest", "oldest", "tokens", "recalled", "relevance")


class SpanKind(StrEnum):
    """What a stretch of the query is, for colouring it."""

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
    notes: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    @property
    def finds_all(self) -> bool:
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
    def looks_at_use(self) -> bool:
        """Whether the answer depends on how often and when observations were recalled."""
        return self.sort == "recalled" or any("stale" in flag.values for flag in self.flags)


_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<minus>-?)
    (?:
        (?P<field>[A-Za-z]+):(?P<value>(?:"[^"]*"?|[^\s"])*)
      | "(?P<phrase>[^"]*)(?P<close>"?)
      | (?P<word>[^\s"]+)
    )
  | (?P<rest>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def parse_query(text: str, now: datetime) -> Query:
    """Take a query apart. Never raises; what makes no sense is searched as words, or noted."""
    query = Query(text=text)
    if len(text) > MAX_LENGTH:
        text = text[:MAX_LENGTH]
        query = _noted(query, f"only the first {MAX_LENGTH:,} characters are used")
    for match in _TOKEN.finditer(text):
        if match["space"] is not None or match["rest"] is not None:
            continue
        if len(query.terms) >= MAX_TERMS:
            query = _noted(query, f"only the first {MAX_TERMS} words are used")
            break
        field = match["field"]
        if field is not None and field.lower() in FIELDS:
            query = _field(query, match, field.lower(), now)
        else:
            query = _term(query, match, at_end=match.end() == len(text))
            if field is not None and (meant := nearest(field, FIELDS)):
                query = _noted(query, f"`{field}:` is not a field; did you mean `{meant}:`?")
            elif field is not None:
                query = _unfinished(query, f"`{field}:` is not a field; put words in quotes")
    return query


def check_understood(query: Query) -> None:
    """Raise `InvalidQuery` for a query that is not understood in full.

    For whatever is changed or exported: a filter passed over there would take in all the rest.
    """
    missed = (*query.notes, *query.unfinished)
    if any(item.field == "branch" for item in query.filters):
        missed = (*missed, "`branch:` finds sessions")
    if query.place != "memories":
        missed = (*missed, f"`in:{query.place}` results can't be changed")
    if missed:
        raise InvalidQuery(
            f"The query {short(query.text)!r} is not clear: {'; '.join(missed)}.",
            "Nothing changed. See `memtui search --help`.",
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
            return _unfinished(query, f"`{shown}` is empty")
        return _noted(query, f"`{shown}` is empty")
    if match["phrase"] is not None and not match["close"]:
        query = _unfinished(query, f"{short(match.group().strip())} has no closing quote")
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
        done = _unfinished(done, f"`{field}:` needs a value")
    elif match["value"].count('"') % 2:
        done = _unfinished(done, f"`{match.group()}` has no closing quote")
    elif not note and _is_said_twice(query, done, field, values):
        done = _unfinished(done, f"`{field}:` takes one value")
    if match["value"]:
        kind = SpanKind.UNKNOWN if note else SpanKind.VALUE
        spans.append(Span(colon, match.end(), kind))
    done = done._replace(spans=(*query.spans, *spans))
    return _noted(done, note) if note else done


def _apply(
    query: Query, field: str, values: tuple[str, ...], now: datetime, *, negated: bool
) -> tuple[Query, str]:
    """The query with a field's values in it, and a note where they make no sense."""
    if not values:
        return query, ""
    if field in ("before", "after"):
        return _with_moment(query, field, values[0], now, negated=negated)
    if field == "sort":
        return _with_sort(query, values[0])
    if field == "in":
        return _with_place(query, values[0], negated=negated)
    if field == "is":
        return _with_flags(query, values, negated=negated)
    if field == "issue":
        return _with_issues(query, values, negated=negated)
    if field == "layer" and (strange := [it for it in values if it not in set(Layer)]):
        query = _unfinished(query, f"`layer:{strange[0]}` is not one of {', '.join(Layer)}")
    return query._replace(filters=(*query.filters, Filter(field, values, negated))), ""


def _with_moment(
    query: Query, field: str, value: str, now: datetime, *, negated: bool
) -> tuple[Query, str]:
    moment = parse_moment(value, now)
    if moment is None:
        return query, f"`{field}:{value}` is not a date or age"
    if (field == "before") != negated:
        return query._replace(before=moment), ""
    return query._replace(after=moment), ""


def _with_sort(query: Query, value: str) -> tuple[Query, str]:
    sort = next((it for it in SORTS if it == value), None)
    if sort is None:
        return query, f"`sort:{value}` is not one of {', '.join(SORTS)}"
    return query._replace(sort=sort), ""


def _with_place(query: Query, value: str, *, negated: bool) -> tuple[Query, str]:
    place = next((it for it in PLACES if it == value and not negated), None)
    if place is None:
        return query, f"`in:{value}` is not one of {', '.join(PLACES)}"
    return query._replace(place=place), ""


def _with_flags(query: Query, values: tuple[str, ...], *, negated: bool) -> tuple[Query, str]:
    known = tuple(value for value in values if value in FLAGS)
    note = "" if len(known) == len(values) else f"`is:` takes {', '.join(FLAGS)}"
    flags = (Filter("is", known, negated),) if known else ()
    return query._replace(flags=(*query.flags, *flags)), note


def _with_issues(query: Query, values: tuple[str, ...], *, negated: bool) -> tuple[Query, str]:
    numbers = {value: value.lstrip("#") for value in values}
    known = {
        value: str(int(number))
        for value, number in numbers.items()
        if number.isascii() and number.isdigit() and len(number) < 10
    }
    note = next((f"`issue:{it}` is not a number" for it in values if it not in known), "")
    if not known:
        return query, note
    found = Filter("issue", tuple(known.values()), negated)
    return query._replace(filters=(*query.filters, found)), note


def _is_said_twice(query: Query, done: Query, field: str, values: tuple[str, ...]) -> bool:
    """Whether a field that takes one value is given more, so that one of them would be lost."""
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


def _unfinished(query: Query, note: str) -> Query:
    return query._replace(unfinished=(*query.unfinished, note))


def _noted(query: Query, note: str) -> Query:
    return query if note in query.notes else query._replace(notes=(*query.notes, note))


def understood(query: Query) -> str:
    """What was understood, in words, for the line below the search box."""
    parts: list[str] = []
    words = [_shown(term) for term in query.terms]
    if words:
        parts.append(" + ".join(words))
    parts += [
        f"{'not ' if item.negated else ''}{item.field} {' or '.join(item.values)}"
        for item in query.filters
    ]
    parts += [f"{'not ' if flag.negated else ''}{' or '.join(flag.values)}" for flag in query.flags]
    if query.place != "memories":
        parts.append("in sessions" if query.place == "sessions" else "in memories and sessions")
    if query.after is not None:
        parts.append(f"from {query.after:%Y-%m-%d}")
    if query.before is not None:
        parts.append(f"before {query.before:%Y-%m-%d}")
    if not parts:
        parts.append("everything")
    if query.sort is not None or not words:
        parts.append(
            {"newest": "newest first", "oldest": "oldest first"}.get(
                query.order, f"by {query.order}"
            )
        )
    return " · ".join((*parts, *query.notes))


def short(text: str) -> str:
    """A text of the query as a sentence names it."""
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


def _shown(term: Term) -> str:
    text = f'"{short(term.text)}"' if term.phrase else short(term.text)
    going_on = term.prefix and len(term.text) <= _SHORT
    return f"{'not ' if term.negated else ''}{text}{'…' if going_on else ''}"
