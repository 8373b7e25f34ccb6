"""Profiles: the ways in which recall can rank, pack and word what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from store.errors import InvalidObservation
from store.model import Level, Observation
from store.recall import ranking
from store.recall.request import RecallRequest
from store.recall.seed_formulas import (
    AGENTX_WEIGHTS,
    EVOLVING_WEIGHTS,
    VAULT_WEIGHTS,
    agentx,
    evolving,
)
from store.recall.values import Candidate, Limits
from store.text.closest_match import check_name
from store.text.tokens import Counter

Factors = Callable[
    [Sequence[Candidate], RecallRequest, datetime, Mapping[str, float]], list[dict[str, float]]
]
"""Returns the weighted factors of each candidate."""
Handle = Callable[[Observation], str]
"""The shortest name of an observation that no other has."""
Clean = Callable[[Observation], Observation]
"""Takes out of an observation what no session may be told."""


class Layout(StrEnum):
    """The arrangement of a recall's text."""

    PARTS = "parts"
    FLAT = "flat"
    SECTIONS = "sections"
    BLOCK = "block"


class Profile(NamedTuple):
    """One way to recall.

    `filtered`: only the agent and issue asked for. `selects`: injects what `store.recall.select`
    chooses, sessions too; without it, as many of the best as there is room for. `most`:
    tokens of its text, however large the budget.
    """

    name: str
    title: str
    factors: Factors
    weights: Mapping[str, float]
    layout: Layout
    filtered: bool = False
    selects: bool = False
    most: int | None = None

    def within(self, limits: Limits) -> Limits:
        """Return the limits of a text, within the profile's own."""
        most = limits.tokens if self.most is None else self.most
        return limits._replace(tokens=min(limits.tokens, most))

    def rank(
        self, candidates: Sequence[Candidate], request: RecallRequest, now: datetime
    ) -> list[Candidate]:
        """Return the candidates by score, best first; then the newest of equals."""
        found = self.factors(candidates, request, now, self.weights)
        ranked = [
            candidate._replace(score=sum(parts.values()), factors=parts)
            for candidate, parts in zip(candidates, self._levelled(candidates, found), strict=True)
        ]
        ranked.sort(
            key=lambda one: (
                round(one.score, 9),
                one.observation.timestamp,
                one.observation.id,
            ),
            reverse=True,
        )
        return ranked

    def _levelled(
        self, candidates: Sequence[Candidate], found: Sequence[Mapping[str, float]]
    ) -> Iterator[Mapping[str, float]]:
        """Yield the factors of each candidate by the weight of its level."""
        for candidate, parts in zip(candidates, found, strict=True):
            weight = self.weights.get(candidate.observation.level, 1.0)
            yield parts if weight == 1.0 else {name: weight * it for name, it in parts.items()}

    def matches(self, candidate: Candidate, request: RecallRequest) -> bool:
        """Return whether the profile considers a candidate at all."""
        observation = candidate.observation
        return not (self.filtered or request.own) or (
            (request.agent in (None, observation.agent) or observation.agent in request.agents)
            and request.issue in (None, observation.issue_number)
        )


class Terms(NamedTuple):
    """The terms of a recall from its first candidate to its text."""

    profile: Profile
    limits: Limits
    counter: Counter
    handle: Handle
    clean: Clean = lambda observation: observation


DEFAULT = "memtui"
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        DEFAULT: Profile(
            DEFAULT,
            "what answers the words asked, little and said once",
            ranking.memtui,
            ranking.WEIGHTS,
            Layout.PARTS,
            selects=True,
        ),
        "agentx": Profile(
            "agentx",
            "SPEC-29: recency, recall count and keywords",
            agentx,
            AGENTX_WEIGHTS,
            Layout.FLAT,
            filtered=True,
        ),
        "evolving": Profile(
            "evolving",
            "relevance, recency within a day, and accesses",
            evolving,
            EVOLVING_WEIGHTS,
            Layout.SECTIONS,
        ),
        "vault": Profile(
            "vault",
            "project, last session, 3 decisions, 2 lessons, open tasks, in 2,000 tokens",
            evolving,
            VAULT_WEIGHTS,
            Layout.BLOCK,
            most=2_000,
        ),
    }
)
"""The profiles by name, the default first."""


FACTORS = tuple(dict.fromkeys(name for profile in PROFILES.values() for name in profile.weights))
"""The factors of all profiles."""


def check_factor(name: str) -> None:
    """Check that some profile has a factor of this name, or memory a level. Raises `ValueError`."""
    known = (*FACTORS, *Level)
    check_name(name, "factor", known, f"known: {', '.join(known)}")


def profile_named(name: str | None, weights: Mapping[str, float] | None = None) -> Profile:
    """Return the profile of this name; `weights` replace some of its own.

    Raises `InvalidObservation` for a name that is none.
    """
    profile = PROFILES.get(name or DEFAULT)
    if profile is None:
        raise InvalidObservation(f"Unknown profile {name!r}.", f"One of: {', '.join(PROFILES)}.")
    if not weights:
        return profile
    return profile._replace(weights={**profile.weights, **weights})
