"""The values of a recall: what is asked, what is judged, and the plan that comes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from store.errors import InvalidObservation
from store.model import Observation
from store.recall.suspect import talks_to_model
from store.text.tokens import Family


class Channel(StrEnum):
    """Where a text goes. Agents cut what a hook prints: the channel knows where."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    TEXT = "text"


class Limits(NamedTuple):
    """What a text may take at most: tokens, and characters where the channel counts those."""

    tokens: int
    characters: int | None = None

    def room(self, characters_each: float) -> int:
        """About how many characters a text may have, with so many of them to a token."""
        room = int(self.tokens * characters_each)
        return room if self.characters is None else min(room, self.characters)


NO_ROOM = Limits(0)


NO_SIGNALS: Mapping[str, float] = MappingProxyType({})


class Candidate(NamedTuple):
    """An observation to judge, and what rankers say of it: each signal from 0 to 1, by name.

    The index gives `relevance`; another ranker joins by one more signal and a weight for it.
    """

    observation: Observation
    signals: Mapping[str, float] = NO_SIGNALS


class Ranked(NamedTuple):
    """A candidate with its score, and the weighted factors that add up to it."""

    observation: Observation
    score: float
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate in the plan: in or out, and why.

    `score` is the sum of `factors`; `tokens` what its line takes in the text.
    """

    observation: Observation
    score: float
    factors: Mapping[str, float]
    included: bool
    reason: str
    tokens: int = 0

    @property
    def suspect(self) -> bool:
        """Whether its content talks to the model that will be shown it."""
        return talks_to_model(self.observation.content)


@dataclass(frozen=True, slots=True)
class Recall:
    """What would be put in front of a session, and why: a plan that changed nothing.

    `candidates` are best first; `tokens` are those of the whole `text` by the counter named
    `counter`; `tokens_by_category` sums the lines of what is included; `packaging` is the share of
    the text's tokens (0 to 1) that is not the memories themselves.
    """

    candidates: tuple[ScoredCandidate, ...] = ()
    text: str = ""
    tokens: int = 0
    tokens_by_category: Mapping[str, int] = field(default_factory=dict)
    count_by_category: Mapping[str, int] = field(default_factory=dict)
    packaging: float = 0.0
    counter: str = ""
    profile: str = ""
    channel: Channel = Channel.TEXT
    budget: int = 0
    limits: Limits = NO_ROOM
    took: timedelta = field(default=timedelta(0), compare=False)
    """How long working it out took."""

    @property
    def included(self) -> tuple[ScoredCandidate, ...]:
        """The candidates that are in the text."""
        return tuple(candidate for candidate in self.candidates if candidate.included)

    @property
    def characters(self) -> int:
        """The characters of the text."""
        return len(self.text)


def channel_named(name: str | None) -> Channel:
    """The channel of this name; `text` for none. Raises `InvalidObservation`."""
    try:
        return Channel(name or Channel.TEXT)
    except ValueError:
        known = ", ".join(Channel)
        raise InvalidObservation(
            f"There is no channel {name!r}.", f"The channels are {known}."
        ) from None


def filling(lengths: Iterable[int], room: float) -> int:
    """How many in a row fill a room, the last of them perhaps in part; all where they don't."""
    number = 0
    for length in lengths:
        if room <= 0:
            break
        room -= length
        number += 1
    return number


def weighted(factors: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """Each factor times its weight; factors that count for nothing are left out."""
    return {
        name: weight * value
        for name, value in factors.items()
        if value and (weight := weights.get(name))
    }


_CHANNEL_LIMITS: Mapping[Channel, tuple[int | None, int | None]] = {
    Channel.CLAUDE_CODE: (None, 10_000),
    Channel.CODEX: (2_500, None),
    Channel.TEXT: (None, None),
}
_FAMILIES: Mapping[Channel, Family] = {
    Channel.CLAUDE_CODE: Family.CLAUDE,
    Channel.CODEX: Family.GPT,
    Channel.TEXT: Family.CLAUDE,
}


def limits_of(channel: Channel, budget: int) -> Limits:
    """The smaller of the budget and what the channel lets through."""
    tokens, characters = _CHANNEL_LIMITS[channel]
    return Limits(budget if tokens is None else min(budget, tokens), characters)


def family_of(channel: Channel) -> Family:
    """The tokenizer that a channel's agent counts with; the costlier one where it is unknown."""
    return _FAMILIES[channel]
