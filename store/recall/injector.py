"""Packing: which of the ranked go into the text, so that the whole of it keeps to its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from store.model import Observation
from store.recall.profiles import Profile
from store.recall.render import Note, framed, line_of, note_of, render
from store.recall.values import Limits, Ranked
from store.text.tokens import Counter

_SHARE = 6
"""A note may take a sixth of the budget; of a longer one the summary goes in."""
_MUCH = 8
"""How many must be left out before the text ends with an index of them."""
_INDEX_SHARE = 0.06
_INDEX_FROM = 1_500
"""Tokens of a budget from which a share of it is kept for the index."""
_INDEX_LINES = 20
_INDEX_WIDTH = 80
_ROUNDS = 5
_CUT = " …"
_UNLIMITED = 1 << 60
_SMALLEST = 8
"""Tokens below which no note is tried any more."""
_PATIENCE = 20
"""After so many in a row that did not fit, none further down is tried."""

Handle = Callable[[Observation], str]


@dataclass(frozen=True, slots=True)
class Packed:
    """What came of packing: the text, its size, and for each id in it what its lines take.

    `reasons` say of those that stayed out for lack of room how much was missing.
    """

    text: str = ""
    tokens: int = 0
    costs: Mapping[str, int] = field(default_factory=dict)
    packaging: float = 0.0
    reasons: Mapping[str, str] = field(default_factory=dict)


def pack(
    ranked: Sequence[Ranked],
    profile: Profile,
    limits: Limits,
    counter: Counter,
    handle: Handle,
    pinned: frozenset[str] = frozenset(),
) -> Packed:
    """Fill the limits with the best; the text as a whole never exceeds them, whatever it holds."""
    return _Packer(profile, limits, counter, handle, pinned).pack(ranked)


class _Packer:
    """The state of one packing: the notes chosen so far, and the room that is left."""

    def __init__(
        self,
        profile: Profile,
        limits: Limits,
        counter: Counter,
        handle: Handle,
        pinned: frozenset[str],
    ) -> None:
        self._profile = profile
        self._limits = limits
        self._counter = counter
        self._handle = handle
        self._pinned = pinned
        self._chosen: dict[str, Note] = {}
        self._known: dict[str, list[tuple[Note, int, int]]] = {}
        self._order: dict[str, int] = {}
        self._missing: dict[str, str] = {}
        self._index: list[Note] = []

    def pack(self, ranked: Sequence[Ranked]) -> Packed:
        self._order = {it.observation.id: at for at, it in enumerate(ranked)}
        waiting = [it.observation for it in ranked]
        reserve = self._reserve(len(waiting))
        text = ""
        for _ in range(_ROUNDS):
            before = len(self._chosen)
            waiting = self._add(waiting, text, reserve)
            text = self._fitting()
            if len(self._chosen) == before or not self._profile.fills:
                break
        text = self._with_index(text, waiting)
        return self._packed(text)

    def _add(self, waiting: Sequence[Observation], text: str, reserve: int) -> list[Observation]:
        """Choose what fits the room beside `text`; what does not fit waits on."""
        tokens, characters = self._room(text or framed(""))
        tokens -= reserve
        left: list[Observation] = []
        misses = 0
        for at, observation in enumerate(waiting):
            if tokens < _SMALLEST or misses > (_PATIENCE if self._profile.fills else 0):
                return left + list(waiting[at:])
            note, cost, length = self._smallest_fitting(observation, tokens, characters)
            if note is None:
                self._missing[observation.id] = f"needs {cost:,} tokens, {max(tokens, 0):,} left"
                left.append(observation)
                misses += 1
                continue
            misses = 0
            self._chosen[observation.id] = note
            tokens -= cost
            characters -= length
        return left

    def _smallest_fitting(
        self, observation: Observation, tokens: int, characters: int
    ) -> tuple[Note | None, int, int]:
        """The note with as much of the observation as there is room for, and what it takes."""
        cost = length = 0
        for note, cost, length in self._sizes(observation):
            if cost <= tokens and length <= characters:
                return note, cost, length
        return None, cost, length

    def _sizes(self, observation: Observation) -> list[tuple[Note, int, int]]:
        """The forms of an observation, with the tokens and characters each takes on its own."""
        known = self._known.get(observation.id)
        if known is None:
            known = self._known[observation.id] = []
            for note in self._forms(observation):
                line = line_of(note, ()) + "\n"
                known.append((note, self._count(line), len(line)))
        return known

    def _forms(self, observation: Observation) -> list[Note]:
        """The whole content, unless it is too long for the budget; then its summary."""
        handle = self._handle(observation)
        whole = note_of(observation, handle, observation.content)
        summary = observation.summary.rstrip("…") + _CUT
        if not self._profile.fills or len(summary) >= len(observation.content):
            return [whole]
        short = note_of(observation, handle, summary)
        if observation.id in self._pinned:
            return [whole, short]
        large = self._count(whole.words) > self._limits.tokens / _SHARE
        return [short] if large else [whole, short]

    def _fitting(self) -> str:
        """The text of what is chosen, the last in rank given up while it exceeds the limits."""
        text = self._render()
        while text and min(self._room(text)) < 0:
            last = max(self._chosen, key=self._order.__getitem__)
            del self._chosen[last]
            self._missing[last] = "does not fit any more"
            text = self._render()
        return text

    def _with_index(self, text: str, waiting: Sequence[Observation]) -> str:
        """The text with an index of the best that are left out, as far as there is room."""
        waiting = [it for it in waiting if it.id not in self._chosen]
        if not text or not self._profile.fills or len(waiting) < _MUCH:
            return text
        lines = [
            note_of(it, self._handle(it), _shortened(it.summary)) for it in waiting[:_INDEX_LINES]
        ]
        tokens, characters = self._room(self._render(lines[:1], len(waiting)))
        fit = 1 if min(tokens, characters) >= 0 else 0
        for line in lines[1:]:
            tokens -= self._count(line_of(line) + "\n")
            characters -= len(line_of(line)) + 1
            if min(tokens, characters) < 0:
                break
            fit += 1
        while fit:
            indexed = self._render(lines[:fit], len(waiting))
            if min(self._room(indexed)) >= 0:
                self._index = lines[:fit]
                return indexed
            fit -= 1
        return text

    def _packed(self, text: str) -> Packed:
        costs = {note.observation.id: self._count(line_of(note)) for note in self._chosen.values()}
        tokens = self._counter.count(text)
        said = sum(self._count(note.words) for note in (*self._chosen.values(), *self._index))
        reasons = {id_: why for id_, why in self._missing.items() if id_ not in self._chosen}
        return Packed(text, tokens, costs, 1 - min(said / tokens, 1) if tokens else 0.0, reasons)

    def _render(self, index: Sequence[Note] = (), left_out: int = 0) -> str:
        notes = sorted(self._chosen.values(), key=lambda it: self._order[it.observation.id])
        return render(notes, self._profile.layout, index, left_out)

    def _room(self, text: str) -> tuple[int, int]:
        """The tokens and characters that are left beside a text."""
        most = self._limits.characters
        characters = _UNLIMITED if most is None else most - len(text)
        return self._limits.tokens - self._counter.count(text), characters

    def _reserve(self, candidates: int) -> int:
        """Tokens kept for the index where much is likely to be left out."""
        if not self._profile.fills or candidates < _MUCH or self._limits.tokens < _INDEX_FROM:
            return 0
        return round(self._limits.tokens * _INDEX_SHARE)

    def _count(self, text: str) -> int:
        return _counted(self._counter.count, text)


@lru_cache(maxsize=8_192)
def _counted(count: Callable[[str], int], text: str) -> int:
    return count(text)


def _shortened(summary: str) -> str:
    line = " ".join(summary.split())
    return line if len(line) <= _INDEX_WIDTH else line[: _INDEX_WIDTH - 1].rstrip() + "…"
