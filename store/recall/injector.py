"""Packing: which of the ranked go into the text, so that the whole of it keeps to its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from store.model import Observation
from store.recall.excerpts import leading_lines, shortened
from store.recall.extras import NO_EXTRAS, Extras
from store.recall.files import subject_of
from store.recall.reasons import Reason, Verdict
from store.recall.render import (
    Grouping,
    Line,
    Note,
    grouping_of,
    index_of,
    lines_of,
    note_of,
)
from store.recall.sizes import Sized, Text, sizes_by
from store.recall.terms import Terms
from store.recall.values import Ranked

_SHARE = 6
"""A note may take a sixth of the budget; of a longer one the first lines go in that take no more,
else its summary. With a quarter for these, two long ones pushed out what says more of the task: of
a decision's words `tests.bench.sde` heard 80% instead of 87%.
"""
_MUCH = 8
"""How many must be left out before the text ends with an index of them."""
_INDEX_SHARE = 0.08
_INDEX_FROM = 1_500
"""Tokens of a budget from which a share of it is kept for the index."""
_INDEX_LINES = 20
_INDEX_LINE = 30
"""The most lines of the index, and the tokens that one is likely to take."""
_ROUNDS = 5
_FULL = 0.01
"""A share of the budget as small as this may stay empty."""
_CUT = " …"
_FEWEST_WORDS, _TRIES = 6, 5
_UNLIMITED = 1 << 60
_SMALLEST = 8
"""Tokens below which no note is tried any more."""
_PATIENCE = 8
"""After so many in a row that did not fit, none further down is tried."""


class Packed(NamedTuple):
    """What came of packing: the text, its size, and for each id in it what its lines take.

    `reasons` say of those that stayed out for lack of room how much was missing; `told` is what is
    said of each that is in.
    """

    text: str
    tokens: int
    costs: Mapping[str, int]
    packaging: float
    reasons: Mapping[str, Reason]
    told: Mapping[str, str]


def pack(
    ranked: Sequence[Ranked],
    terms: Terms,
    pinned: frozenset[str] = frozenset(),
    extras: Extras = NO_EXTRAS,
) -> Packed:
    """Fill the limits with the best; the text as a whole never exceeds them, whatever it holds.

    The extras' first lines and files stand before the notes, the first lines also where there are
    none; their last line ends the text.
    """
    return _Packer(terms, pinned, extras).pack(ranked)


class _Packer:
    """The state of one packing: the notes chosen so far, and the room that is left."""

    def __init__(self, terms: Terms, pinned: frozenset[str], extras: Extras) -> None:
        self._profile, self._limits = terms.profile, terms.limits
        self._sizes = sizes_by(terms.counter, terms.limits)
        self._handle, self._clean = terms.handle, terms.clean
        self._pinned = pinned
        self._head = (*extras.first, *extras.files)
        self._first, self._last = extras.first, extras.last
        self._share = terms.limits.tokens / _SHARE
        self._chosen: dict[str, Sized] = {}
        self._known: dict[tuple[str, str], Sized] = {}
        self._order: dict[str, int] = {}
        self._missing: dict[str, Reason] = {}
        self._lines: list[Line] = []
        self._grouping: Grouping | None = None
        self._index: list[Note] = []

    def pack(self, ranked: Sequence[Ranked]) -> Packed:
        self._order = {it.observation.id: at for at, it in enumerate(ranked)}
        waiting = [it.observation for it in ranked]
        reserve = self._reserve(len(waiting))
        text = Text()
        for _ in range(_ROUNDS):
            before = len(self._chosen)
            waiting = self._add(waiting, text, reserve)
            if len(self._chosen) == before:
                break
            text = self._fitting()
            left = self._room(text)[0] - reserve
            if not self._profile.fills or left < self._limits.tokens * _FULL:
                break
        if self._profile.fills and self._cut_to_fit(waiting, text, reserve):
            text = self._fitting()
        text = self._with_index(text, waiting) if text.tokens else self._alone()
        return self._packed(text)

    def _alone(self) -> Text:
        """The text where no note came in: what is told by itself, if anything is and it fits."""
        text = self._sizes.text(self._first, (), self._last) if self._first else Text()
        return text if min(self._room(text)) >= 0 else Text()

    def _add(self, waiting: Sequence[Observation], text: Text, reserve: int) -> list[Observation]:
        """Choose what fits the room beside `text`; what does not fit waits on."""
        tokens, characters = self._room(text if text.tokens else self._framed([]))
        tokens -= reserve
        left: list[Observation] = []
        misses = 0
        for at, observation in enumerate(waiting):
            if tokens < _SMALLEST or misses > (_PATIENCE if self._profile.fills else 0):
                return left + list(waiting[at:])
            form = self._smallest(self._clean(observation), tokens, characters)
            if form.cost > tokens or form.length > characters:
                self._missing[observation.id] = self._too_long(form, tokens, characters)
                left.append(observation)
                misses += 1
                continue
            misses = 0
            self._chosen[observation.id] = form
            tokens -= form.cost
            characters -= form.length
        return left

    def _too_long(self, form: Sized, tokens: int, characters: int) -> Reason:
        """Why a note does not fit so much room: by the limit that it exceeds, tokens first."""
        if form.cost > tokens:
            return Reason(Verdict.TOO_LONG, needs=form.cost, left=max(tokens, 0))
        left, unit = max(characters, 0), self._limits.unit
        return Reason(Verdict.TOO_LONG, needs=form.length, left=left, unit=unit)

    def _cut_to_fit(self, waiting: Sequence[Observation], text: Text, reserve: int) -> bool:
        """Fill the room that is left with the beginning of the best that waits; its id leads to the
        rest. Whether there is one.
        """
        tokens, characters = self._room(text if text.tokens else self._framed([]))
        for observation in waiting[:_PATIENCE]:
            form = self._beginning(self._clean(observation), tokens - reserve, characters)
            if form is not None:
                self._chosen[observation.id] = form
                return True
        return False

    def _beginning(self, observation: Observation, tokens: int, characters: int) -> Sized | None:
        """As many of the first words as there is room for; none where they would say too little."""
        words = observation.content.split()
        each = self._sized(observation, observation.content).cost / (len(words) or 1)
        least, most = _FEWEST_WORDS, min(len(words) - 1, tokens)
        at, best = int(tokens / each), None
        for _ in range(_TRIES):
            if least > most:
                break
            at = min(max(at, least), most)
            form = self._sized(observation, " ".join(words[:at]) + _CUT)
            if form.cost <= tokens and form.length <= characters:
                best, least = form, at + 1
            else:
                most = at - 1
            spare = min(tokens - form.cost, characters - form.length)
            if 0 <= spare < _SMALLEST:
                break
            at += int(spare / each) or (1 if spare > 0 else -1)
        return best

    def _smallest(self, observation: Observation, tokens: int, characters: int) -> Sized:
        """As much of an observation as there is room for; its shortest form where none fits."""
        forms = self._forms(observation, tokens)
        form = next(forms)
        while form.cost > tokens or form.length > characters:
            shorter = next(forms, None)
            if shorter is None:
                break
            form = shorter
        return form

    def _forms(self, observation: Observation, tokens: int) -> Iterator[Sized]:
        """The whole content, unless it is too long for the budget; then its first lines, as far as
        these say more than its summary; then that. Where only the summary may fit the tokens that
        are left, that alone.
        """
        content = observation.content
        summary = observation.summary.rstrip("…") + _CUT
        if not self._profile.fills or len(summary) >= len(content):
            yield self._sized(observation, content)
            return
        if not self._sizes.exceeds(content, tokens) or (
            len(leading_lines(content, len(content))) > len(summary)
        ):
            yield from self._longer(observation, len(summary))
        yield self._sized(observation, summary)

    def _longer(self, observation: Observation, least: int) -> Iterator[Sized]:
        """The whole content, and its first lines where they have more characters than `least`; each
        unless it is too long for the budget.
        """
        whole = self._sized(observation, observation.content)
        if observation.id in self._pinned or whole.cost <= self._share:
            yield whole
        share = self._share / whole.cost
        lines = leading_lines(observation.content, int(len(observation.content) * share))
        if len(lines) > least:
            yield self._sized(observation, lines + _CUT)

    def _sized(self, observation: Observation, text: str) -> Sized:
        """A text of an observation as a note, and what its line takes with all of its traits."""
        known = self._known.get((observation.id, text))
        if known is None:
            note = note_of(observation, self._handle(observation), text)
            known = self._known[observation.id, text] = self._sizes.sized(note)
        return known

    def _fitting(self) -> Text:
        """The text of what is chosen, the last in rank given up while it exceeds the limits."""
        text = self._render()
        while self._chosen and min(self._room(text)) < 0:
            last = max(self._chosen, key=self._order.__getitem__)
            del self._chosen[last]
            self._missing[last] = Reason(Verdict.BUDGET_FULL)
            text = self._render()
        return text

    def _with_index(self, text: Text, waiting: Sequence[Observation]) -> Text:
        """The text with an index of the best that are left out, as far as there is room."""
        waiting = [it for it in waiting if it.id not in self._chosen]
        if not self._profile.fills or len(waiting) < _MUCH:
            return text
        tokens, characters = self._room(text)
        notes: list[Note] = []
        for note in islice(self._lines_of_index(str(text), waiting), _INDEX_LINES):
            lines = index_of([note], len(waiting))[1 if notes else 0 :]
            tokens -= sum(map(self._sizes.line, lines))
            characters -= sum(map(self._sizes.length, lines))
            if min(tokens, characters) < 0:
                break
            notes.append(note)
        for fit in range(len(notes), 0, -1):
            index = index_of(notes[:fit], len(waiting))
            indexed = self._framed(self._lines + index)
            if min(self._room(indexed)) >= 0:
                self._index = notes[:fit]
                return indexed
        return text

    def _lines_of_index(self, text: str, waiting: Sequence[Observation]) -> Iterator[Note]:
        """Those left out, each in a line: what is about a file by its path, where no other line
        names that; the rest by the beginning of its summary.
        """
        named: set[str] = set()
        for it in map(self._clean, waiting):
            path = subject_of(it)
            if path and (path in named or path in text):
                continue
            named.add(path)
            yield note_of(it, self._handle(it), path or shortened(it.summary))

    def _packed(self, text: Text) -> Packed:
        costs = {
            identifier: form.words + self._sizes.name(form.note)
            for identifier, form in self._chosen.items()
        }
        said = sum(form.words for form in self._chosen.values())
        said += sum(map(self._sizes.words, self._index))
        reasons = {id_: why for id_, why in self._missing.items() if id_ not in self._chosen}
        told = {identifier: form.note.words for identifier, form in self._chosen.items()}
        packaging = 1 - min(said / text.tokens, 1) if text.tokens else 0.0
        return Packed(str(text), text.tokens, costs, packaging, reasons, told)

    def _render(self) -> Text:
        ids = sorted(self._chosen, key=self._order.__getitem__)
        notes = [self._chosen[identifier].note for identifier in ids]
        if not notes:
            return self._framed([]) if self._head else Text()
        if self._grouping is None:
            # Few notes are added to those of the first round; its grouping does for them, too.
            self._grouping = grouping_of(notes)
        self._lines = lines_of(notes, self._profile.layout, self._grouping)
        return self._framed(self._lines)

    def _framed(self, lines: Sequence[Line]) -> Text:
        return self._sizes.text(self._head, lines, self._last)

    def _room(self, text: Text) -> tuple[int, int]:
        """The tokens, and the characters or bytes, that are left beside a text."""
        most = self._limits.length
        characters = _UNLIMITED if most is None else most - self._limits.measure(str(text))
        return self._limits.tokens - text.tokens, characters

    def _reserve(self, candidates: int) -> int:
        """Tokens kept for the index where much is likely to be left out."""
        if not self._profile.fills or candidates < _MUCH or self._limits.tokens < _INDEX_FROM:
            return 0
        return min(round(self._limits.tokens * _INDEX_SHARE), _INDEX_LINES * _INDEX_LINE)
