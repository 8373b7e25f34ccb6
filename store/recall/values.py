"""The values of a recall: what is judged, what becomes of it, and the plan that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from store.agents.client import ChannelLimits
from store.agents.registry import HOOKED, client_named
from store.drift.verdicts import UNKNOWN, Drift
from store.errors import InvalidObservation
from store.model import InjectedCounts, Observation
from store.recall.reasons import Reason
from store.text.closest_match import check_name
from store.text.tokens import Family, estimate

TEXT = "text"
"""The channel of a text that no client cuts."""
CHANNELS = (*HOOKED, TEXT)
"""Where a text may go: to a client, which cuts what a hook prints at a limit of its own, or out."""
CLIENT_TOKENS = 1_200
"""The most tokens that a client's session starts with, unless its user chose more."""


class Limits(NamedTuple):
    """Limits of a text: tokens, and characters or UTF-8 bytes where those count."""

    tokens: int
    characters: int | None = None
    bytes: int | None = None

    @property
    def length(self) -> int | None:
        """The most characters or bytes, whichever count; None where neither does."""
        return self.characters if self.bytes is None else self.bytes

    @property
    def unit(self) -> str:
        return "characters" if self.bytes is None else "bytes"

    def measure(self, text: str) -> int:
        """Return the length of a text as the channel counts it: in bytes, else in characters."""
        return len(text) if self.bytes is None else len(text.encode("utf-8", "replace"))


NO_ROOM = Limits(0)
NO_SIGNALS: Mapping[str, float] = MappingProxyType({})


class Kind(StrEnum):
    """The kinds of candidates: a memory, or an earlier session, whose digest comes in the shape of
    an observation (`store.sessions.documents`).
    """

    MEMORY = "memory"
    SESSION = "session"


class Candidate(NamedTuple):
    """An observation to judge, and what is known of it before and after it is ranked.

    The index gives the signals `relevance` (BM25 with neighbours) and `bm25` (its own words alone),
    each from 0 up. `amended_by` is the id of a later statement that changes it
    (`store.recall.amendments`); `drift` is what became of the code that it names. A profile's
    ranking gives the `score` and the weighted `factors` that add up to it.
    """

    observation: Observation
    signals: Mapping[str, float] = NO_SIGNALS
    kind: Kind = Kind.MEMORY
    amended_by: str = ""
    drift: Drift = UNKNOWN
    score: float = 0.0
    factors: Mapping[str, float] = NO_SIGNALS


@dataclass(frozen=True)
class ScoredCandidate:
    """A candidate in the plan: in or out, and why.

    `stored` may hold what nobody is shown, which `clean` takes out; `score` is the sum of
    `factors`; `tokens` what its line takes in the text, `text` its words there; `drift` is what
    became of the code that it names.
    """

    stored: Observation = field(repr=False)
    clean: Callable[[Observation], Observation] = field(repr=False, compare=False)
    score: float
    factors: Mapping[str, float]
    included: bool
    reason: Reason
    tokens: int = 0
    text: str = ""
    kind: Kind = Kind.MEMORY
    drift: Drift = UNKNOWN

    @property
    def id(self) -> str:
        return self.stored.id

    @cached_property
    def observation(self) -> Observation:
        """The observation as it may be shown: most candidates of a plan nobody looks at."""
        return self.clean(self.stored)

    @property
    def is_memory(self) -> bool:
        return self.kind is Kind.MEMORY

    @property
    def is_suspect(self) -> bool:
        """The content talks to the model that will be shown it."""
        from store.recall.suspect import is_instruction_to_model

        return is_instruction_to_model(self.observation.content)


class FileHint(NamedTuple):
    """A file that a task may touch, and why: reasons in words."""

    path: str
    why: tuple[str, ...]


class Recall(NamedTuple):
    """The text for a session, with its reasons: a plan that changed nothing.

    `candidates` are best first; `tokens` are those of the whole `text` by the counter named
    `counter`; `tokens_by_category` sums the lines of what is included; `packaging` is the share of
    the text's tokens (0 to 1) that is not the memories themselves.
    """

    candidates: tuple[ScoredCandidate, ...] = ()
    text: str = ""
    tokens: int = 0
    tokens_by_category: Mapping[str, int] = MappingProxyType({})
    count_by_category: Mapping[str, int] = MappingProxyType({})
    packaging: float = 0.0
    left_out: int = 0
    """How many candidates would be told if there were room."""
    counter: str = ""
    profile: str = ""
    channel: str = TEXT
    budget: int = 0
    limits: Limits = NO_ROOM
    files: tuple[FileHint, ...] = ()
    """The files that the task may touch, the likeliest first, as they stand in the text."""
    took: timedelta = timedelta(0)
    """How long working it out took."""

    @property
    def included(self) -> tuple[ScoredCandidate, ...]:
        return tuple(candidate for candidate in self.candidates if candidate.included)

    @property
    def counts(self) -> InjectedCounts:
        """Number of each kind in the text."""
        memories = sum(candidate.is_memory for candidate in self.included)
        return InjectedCounts(memories, sessions=len(self.included) - memories)

    @property
    def characters(self) -> int:
        return len(self.text)

    def cost_of(self, candidate: ScoredCandidate) -> int:
        """The tokens that a candidate takes; of one that is left out, an estimate for the whole."""
        if candidate.included:
            return candidate.tokens
        return estimate(family_of(self.channel)).count(candidate.observation.content)


def by_category(scored: Sequence[ScoredCandidate]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the tokens, and the number, of injected memories, by category."""
    tokens: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for candidate in scored:
        if candidate.included:
            tokens[candidate.observation.category] += candidate.tokens
            counts[candidate.observation.category] += 1
    return dict(tokens), dict(counts)


def channel_named(name: str | None) -> str:
    """Return the channel of this name; `text` for none. Raises `InvalidObservation`."""
    if name and name not in CHANNELS:
        known = ", ".join(CHANNELS)
        raise InvalidObservation(f"Unknown channel {name!r}.", f"One of: {known}.")
    return name or TEXT


def check_client(name: str) -> None:
    """Check that a client of this name takes text. Raises `ValueError`."""
    check_name(name, "client", HOOKED, f"known: {', '.join(HOOKED)}")


def default_budget(channel: str, most: int, chosen: Mapping[str, int]) -> int:
    """Return the budget of a channel in tokens where none is asked for: `most` for a text that no
    client takes; a client's own as it was `chosen`, else `CLIENT_TOKENS`, within `most`.
    """
    return most if channel == TEXT else min(most, chosen.get(channel, CLIENT_TOKENS))


def weighted(factors: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Return each factor times its weight; factors that count for nothing are left out."""
    return {
        name: weight * value
        for name, value in factors.items()
        if value and (weight := weights.get(name))
    }


def limits_of(channel: str, budget: int) -> Limits:
    """Return the smaller of the budget and what the channel lets through."""
    limits = _channel_limits(channel)
    tokens = budget if limits.tokens is None else min(budget, limits.tokens)
    return Limits(tokens, limits.characters, limits.bytes)


def family_of(channel: str) -> Family:
    """The tokenizer that a channel's client counts with; the costlier one where it is unknown."""
    return Family(_channel_limits(channel).tokenizer)


def _channel_limits(channel: str) -> ChannelLimits:
    return ChannelLimits() if channel == TEXT else client_named(channel).limits
