"""Profiles: the ways in which recall can rank, pack and word what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from store.errors import InvalidObservation
from store.recall import baselines, factors
from store.recall.request import RecallRequest
from store.recall.values import Candidate, Limits, Ranked
from store.settings.schema import RENAMED_FACTORS
from store.text.closest_match import check_name

Factors = Callable[
    [Sequence[Candidate], RecallRequest, datetime, Mapping[str, float]], list[dict[str, float]]
]


class Layout(StrEnum):
    """How the text of a recall is arranged."""

    GROUPED = "grouped"
    FLAT = "flat"
    SECTIONS = "sections"
    BLOCK = "block"


class Profile(NamedTuple):
    """One way to recall.

    `filtered`: only the agent and issue asked for. `fills`: goes on past what does not fit, drops
    what newer notes say again, and ends in an index of what was left out. `most`: tokens of its
    text, however large the budget.
    """

    name: str
    title: str
    factors: Factors
    weights: Mapping[str, float]
    layout: Layout
    filtered: bool = False
    fills: bool = False
    most: int | None = None

    def within(self, limits: Limits) -> Limits:
        """The limits of a text, within the profile's own."""
        most = limits.tokens if self.most is None else self.most
        return limits._replace(tokens=min(limits.tokens, most))

    def rank(
        self, candidates: Sequence[Candidate], request: RecallRequest, now: datetime
    ) -> list[Ranked]:
        """The candidates by score, best first; then the newest of equals."""
        found = self.factors(candidates, request, now, self.weights)
        ranked = [
            Ranked(observation, sum(parts.values()), parts, kind, amended_by, kept_as)
            for (observation, _, kind, amended_by, kept_as), parts in zip(
                candidates, found, strict=True
            )
        ]
        ranked.sort(
            key=lambda it: (
                round(it.score, 9),
                it.observation.timestamp,
                it.observation.id,
            ),
            reverse=True,
        )
        return ranked

    def admits(self, candidate: Candidate, request: RecallRequest) -> bool:
        """Whether the profile looks at a candidate at all."""
        observation = candidate.observation
        return not (self.filtered or request.own) or (
            request.agent in (None, observation.agent)
            and request.issue in (None, observation.issue_number)
        )


DEFAULT = "memtui"
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        DEFAULT: Profile(
            DEFAULT,
            "what the task needs, close by, recent and said once",
            factors.memtui,
            factors.WEIGHTS,
            Layout.GROUPED,
            fills=True,
        ),
        "agentx": Profile(
            "agentx",
            "SPEC-29: recency, recall count and keywords",
            baselines.agentx,
            baselines.AGENTX_WEIGHTS,
            Layout.FLAT,
            filtered=True,
        ),
        "evolving": Profile(
            "evolving",
            "relevance, recency within a day, and accesses",
            baselines.evolving,
            baselines.EVOLVING_WEIGHTS,
            Layout.SECTIONS,
        ),
        "vault": Profile(
            "vault",
            "project, last session, 3 decisions, 2 lessons, open tasks, in 2,000 tokens",
            baselines.evolving,
            baselines.VAULT_WEIGHTS,
            Layout.BLOCK,
            most=2_000,
        ),
    }
)
"""The profiles by name, the default first."""


FACTORS = tuple(dict.fromkeys(name for it in PROFILES.values() for name in it.weights))
"""The factors of all profiles."""


def check_factor(name: str) -> bool:
    """That some profile has, or had, a factor of this name. Raises `ValueError`."""
    current = RENAMED_FACTORS.get(name, name)
    return check_name(current, "factor", FACTORS, f"known: {', '.join(FACTORS)}")


def profile_named(name: str | None, weights: Mapping[str, float] | None = None) -> Profile:
    """The profile of this name; `weights` replace some of its own.

    Raises `InvalidObservation` for a name that is none.
    """
    profile = PROFILES.get(name or DEFAULT)
    if profile is None:
        raise InvalidObservation(f"Unknown profile {name!r}.", f"One of: {', '.join(PROFILES)}.")
    if not weights:
        return profile
    return profile._replace(weights={**profile.weights, **weights})
