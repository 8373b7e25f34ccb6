"""The query language: what a user types, taken apart without ever failing.

Words must all match, the last one as a prefix; `"exact phrase"`, `-not`, fields such as
`agent:engineer,architect`, `before:2026-01`, `is:open`, `sort:newest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

from store.errors import InvalidQuery
from store.model import USES, Layer, Verdict
from store.notice import Notice, notice
from store.search.fields import FIELDS, TABLE, Values
from store.text.closest_match import nearest

_DATE = r"(?a)(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
_AGE = r"(?a)(\d{1,5})(h|d|w|m|y)"
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
MAX_LENGTH = 1_000
"""Characters of a query that are looked at."""
MAX_TERMS = 32
"""Words and phrases of a query that are looked at."""
SHORT = 40
"""Characters of a word or phrase that are quoted."""

NAMES = (*(field.name for field in TABLE), "before", "after", "is", "in", "sort")
"""What may come before a colon."""
FLAGS = ("archived", "pinned", "muted", "open", "stale", "drifted", *USES)

Place = Literal["memories", "sessions", "all"]
PLACES: tuple[Place, ...] = ("memories", "sessions", "all")

Sort = Literal["newest", "oldest", "tokens", "recalled", "relevance"]
SORTS: tuple[Sort, ...] = ("newest", "oldest", "tokens", "recalled", "relevance")
_NUMBER = re.compile(r"#*[0-9]{1,9}")
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


class SpanKind(StrEnum):
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
    """A query taken apart. `notes` name what was not understood; `place` where it looks.

    `unfinished` name what may only be half typed: a search passes over it, a change does not.
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


def parse_query(text: str, now: datetime) -> Query:
    """Take a query apart. Never raises; what makes no sense is searched as words, or noted."""
    parser = _Parser(text[:MAX_LENGTH], now)
    if len(text) > MAX_LENGTH:
        parser.note(notice("query-cut", characters=MAX_LENGTH))
    parser.parse()
    return Query(
        text=text,
        terms=tuple(parser.terms),
        filters=tuple(parser.filters),
        flags=tuple(parser.flags),
        before=parser.before,
        after=parser.after,
        sort=parser.sort,
        place=parser.place,
        spans=tuple(parser.spans),
        notes=tuple(parser.notes),
        unfinished=tuple(parser.unfinished),
    )


def check_understood(query: Query) -> None:
    """Raise `InvalidQuery` for a query that is not understood in full.

    For whatever is changed or exported: a filter passed over there would take in all the rest.
    """
    missed = (*query.notes, *query.unfinished)
    for field in sorted({"branch", "project"} & {item.field for item in query.filters}):
        missed = (*missed, notice("finds-sessions", field=field))
    if query.place != "memories":
        missed = (*missed, notice("place-not-changed", place=query.place))
    if missed:
        raise InvalidQuery(
            f"The query {short(query.text)!r} is not clear.",
            "Nothing changed. See `memtui search --help`.",
            missed,
        )


def parse_moment(text: str, now: datetime) -> datetime | None:
    """Return the start of a date (`2026`, `2026-01`, `2026-01-15`, `today`), or the moment an age
    ago (`12h`, `7d`, `3w`, `6m`, `1y`); None for anything else. In UTC.

    Days are those of the zone that `now` has.
    """
    text = text.lower()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if text == "today":
        return midnight.astimezone(UTC)
    if text == "yesterday":
        return (midnight - timedelta(days=1)).astimezone(UTC)
    try:
        if match := re.fullmatch(_AGE, text):
            return now.astimezone(UTC) - timedelta(days=int(match[1]) * _DAYS[match[2]])
        if match := re.fullmatch(_DATE, text):
            year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
            return datetime(year, month, day, tzinfo=now.tzinfo).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return None


def short(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


class _Parser:
    """Takes a query apart, one term or field after the other."""

    def __init__(self, text: str, now: datetime) -> None:
        self._text = text
        self._now = now
        self.terms: list[Term] = []
        self.filters: list[Filter] = []
        self.flags: list[Filter] = []
        self.before: datetime | None = None
        self.after: datetime | None = None
        self.sort: Sort | None = None
        self.place: Place = "memories"
        self.spans: list[Span] = []
        self.notes: list[Notice] = []
        self.unfinished: list[Notice] = []

    def parse(self) -> None:
        for match in _TOKEN.finditer(self._text):
            if len(self.terms) >= MAX_TERMS:
                self.note(notice("words-cut", words=MAX_TERMS))
                return
            field = match["field"]
            if match["minus"]:
                self._add_span(match.start(), match.start() + 1, SpanKind.NOT)
            if field is not None and field.lower() in NAMES:
                self._read_field(match, field.lower())
                continue
            self._read_term(match)
            if field is not None and (meant := nearest(field, NAMES)):
                self.note(notice("field-misspelt", field=field, meant=meant))
            elif field is not None:
                self.unfinished.append(notice("field-unknown", field=field))

    def note(self, note: Notice) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _read_term(self, match: re.Match[str]) -> None:
        is_negated, is_phrase = match["minus"] == "-", match["phrase"] is not None
        start = match.start() + is_negated
        is_at_end = match.end() == len(self._text) and not is_negated
        self._add_span(start, match.end(), SpanKind.PHRASE if is_phrase else SpanKind.WORD)
        if is_phrase:
            is_open = not match["close"]
            term = Term(match["phrase"].strip(), True, is_negated, is_at_end and is_open)
        else:
            text = self._text[start : match.end()].strip('"')
            term = Term(text, negated=is_negated, prefix=is_at_end)
        if not any(char.isalnum() for char in term.text):
            shown = match.group().strip()
            empty = notice("term-empty", text=shown)
            # A minus or a quote alone is the start of a term.
            if shown in {"", "-", '"', '-"', '""', '-""'}:
                self.unfinished.append(empty)
            else:
                self.note(empty)
            return
        if is_phrase and is_open:
            self.unfinished.append(notice("quote-open", text=short(match.group().strip())))
        self.terms.append(term)

    def _read_field(self, match: re.Match[str], field: str) -> None:
        is_negated = match["minus"] == "-"
        values = tuple(dict.fromkeys(_values(match["value"])))
        note = self._set(field, values, is_negated) if values else None
        if not values:
            self.unfinished.append(notice("field-empty", field=field))
        elif match["value"].count('"') % 2:
            self.unfinished.append(notice("quote-open", text=match.group()))
        colon = match.start("value")
        self._add_span(match.start() + is_negated, colon, SpanKind.FIELD)
        if match["value"]:
            self._add_span(colon, match.end(), SpanKind.UNKNOWN if note else SpanKind.VALUE)
        if note:
            self.note(note)

    def _set(self, field: str, values: tuple[str, ...], is_negated: bool) -> Notice | None:
        """Take over a field's values; a note where they make no sense."""
        value = values[0]
        if field in ("before", "after"):
            moment = parse_moment(value, self._now)
            if moment is None:
                return notice("value-no-date", field=field, value=value)
            if (field == "before") != is_negated:
                self._expect_one(field, values, self.before)
                self.before = moment
            else:
                self._expect_one(field, values, self.after)
                self.after = moment
            return None
        if field == "sort":
            sort = next((sort for sort in SORTS if sort == value), None)
            if sort is None:
                return _not_among(field, value, SORTS)
            self._expect_one(field, values, self.sort)
            self.sort = sort
            return None
        if field == "in":
            place = next((place for place in PLACES if place == value and not is_negated), None)
            if place is None:
                return _not_among(field, value, PLACES)
            self.place = place
            return None
        if field == "is":
            known = tuple(value for value in values if value in FLAGS)
            if known:
                self.flags.append(Filter(field, known, is_negated))
            choices = ", ".join(FLAGS)
            return notice("flags-unknown", choices=choices) if len(known) < len(values) else None
        strange = None
        if FIELDS[field].values is Values.NUMBER:
            numbers = [value for value in values if _NUMBER.fullmatch(value)]
            odd = next((value for value in values if value not in numbers), None)
            strange = odd and notice("value-no-number", field=field, value=odd)
            values = tuple(str(int(number.lstrip("#"))) for number in numbers)
        elif FIELDS[field].values is Values.LAYER:
            self._expect_among(field, values, Layer)
        elif FIELDS[field].values is Values.VERDICT:
            self._expect_among(field, values, Verdict)
        if values:
            self.filters.append(Filter(field, values, is_negated))
        return strange or None

    def _expect_among(self, field: str, values: tuple[str, ...], known: Iterable[str]) -> None:
        """Note a value that there is not; it may only be half typed."""
        choices = list(known)
        if (odd := next((value for value in values if value not in choices), None)) is not None:
            self.unfinished.append(_not_among(field, odd, choices))

    def _expect_one(self, field: str, values: tuple[str, ...], known: object) -> None:
        """Note that a field that takes one value is given more, so that one of them is lost."""
        if len(values) > 1 or known is not None:
            self.unfinished.append(notice("field-twice", field=field))

    def _add_span(self, start: int, end: int, kind: SpanKind) -> None:
        self.spans.append(Span(start, end, kind))


def _values(text: str) -> Iterator[str]:
    for part in re.findall(r'"[^"]*"?|[^,"]+', text):
        value = part.strip('"').strip()
        if value:
            yield value


def _not_among(field: str, value: str, choices: Iterable[str]) -> Notice:
    return notice("value-not-among", field=field, value=value, choices=", ".join(choices))
