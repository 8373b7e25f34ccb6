"""The values of a compaction: what merges into what, why, and what it saves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from store.model import Observation


class Strength(StrEnum):
    """The strengths of a compaction. Issues past the stale limit always get `THOROUGH`."""

    GENTLE = "gentle"
    """What is said twice is said once, and what is superseded gives way."""
    NORMAL = "normal"
    """And: errors join their fixes, the changes of a file become one line of history."""
    THOROUGH = "thorough"
    """And: observations about the same file or error, or in similar words, are told as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """The limits of a compaction. Ages are in days."""

    strength: Strength = Strength.NORMAL
    young_days: float = 7
    stale_days: float = 90


class Reason(StrEnum):
    """The reasons why the observations of a cluster belong together."""

    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    ERROR_AND_FIX = "error-and-fix"
    FILE_HISTORY = "file-history"
    RELATED = "related"
    FOLDED = "folded"


class Alone(StrEnum):
    """The reasons why an observation is left as it is."""

    PINNED = "pinned"
    MUTED = "muted"
    OPEN_TASK = "open task"
    LATEST_HANDOFF = "latest handoff"
    YOUNG = "too young"
    AMBIGUOUS = "its id is not unique"
    UNRELATED = "nothing related"
    CHOSEN = "left out by choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A statement that the merged observation does not carry over.

    `instead` is the statement that says it; `superseded` that it gave way to a later one, rather
    than being said already; `missing` its words and marks that the merged observation lacks.
    """

    observation_id: str
    statement: str
    instead: str
    superseded: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Observations (newest first) that become one. `about` is the file that they share, if any."""

    reason: Reason
    originals: tuple[Observation, ...]
    merged: Observation
    about: str = ""
    left_out: tuple[LeftOut, ...] = ()

    @property
    def id(self) -> str:
        """The name of the cluster: the id of the observation that it leaves."""
        return self.merged.id

    @property
    def characters(self) -> tuple[int, int]:
        """The characters of the originals, and of the merged observation."""
        before = sum(len(original.content) for original in self.originals)
        return before, len(self.merged.content)

    @property
    def tokens_before(self) -> int:
        """The tokens of the originals."""
        return sum(original.tokens for original in self.originals)

    @property
    def tokens_after(self) -> int:
        """The tokens of the merged observation."""
        return self.merged.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAlone:
    """An observation that the compaction does not touch, and why."""

    observation: Observation
    why: Alone


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """The plan of a compaction: each active observation is in a cluster or left alone."""

    clusters: tuple[Cluster, ...] = ()
    left_alone: tuple[LeftAlone, ...] = ()

    @property
    def is_empty(self) -> bool:
        """There is nothing to compact."""
        return not self.clusters

    @property
    def observations_before(self) -> int:
        """The active observations looked at."""
        return len(self.left_alone) + sum(len(cluster.originals) for cluster in self.clusters)

    @property
    def observations_after(self) -> int:
        """The active observations that would be left of them."""
        return len(self.left_alone) + len(self.clusters)

    @property
    def characters(self) -> tuple[int, int]:
        """The characters of the active observations looked at, and those that would be left."""
        alone = sum(len(left.observation.content) for left in self.left_alone)
        pairs = [cluster.characters for cluster in self.clusters]
        return alone + sum(pair[0] for pair in pairs), alone + sum(pair[1] for pair in pairs)

    @property
    def tokens_before(self) -> int:
        """The tokens of the active observations looked at."""
        return self._tokens_alone + sum(cluster.tokens_before for cluster in self.clusters)

    @property
    def tokens_after(self) -> int:
        """The tokens that would be left of them."""
        return self._tokens_alone + sum(cluster.tokens_after for cluster in self.clusters)

    @property
    def _tokens_alone(self) -> int:
        return sum(left.observation.tokens for left in self.left_alone)

    def after(self) -> list[Observation]:
        """The active observations as they would be afterwards."""
        merged = [cluster.merged for cluster in self.clusters]
        return merged + [left.observation for left in self.left_alone]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionResult:
    """The result of a compaction (SPEC-29)."""

    observations_before: int
    observations_after: int
    tokens_before: int
    tokens_after: int
    merged: int
    archived: int
    created_ids: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, plan: CompactionPlan) -> CompactionResult:
        """The result of a plan that was applied whole."""
        return cls(
            observations_before=plan.observations_before,
            observations_after=plan.observations_after,
            tokens_before=plan.tokens_before,
            tokens_after=plan.tokens_after,
            merged=len(plan.clusters),
            archived=sum(len(cluster.originals) for cluster in plan.clusters),
            created_ids=tuple(cluster.merged.id for cluster in plan.clusters),
        )


def stale_issues(
    observations: Iterable[Observation], *, now: datetime, days: float
) -> frozenset[int]:
    """The issues whose newest active observation is more than `days` old."""
    newest: dict[int, datetime] = {}
    for observation in observations:
        if not observation.archived:
            issue = observation.issue_number
            newest[issue] = max(newest.get(issue, observation.timestamp), observation.timestamp)
    limit = now - timedelta(days=days)
    return frozenset(issue for issue, latest in newest.items() if latest < limit)


class Excess(NamedTuple):
    """Numbers of stale memories, and of those beyond the capacity of their layer.

    `size` are the bytes of a memory that grew large, in bytes or in number; else 0.
    """

    stale: int = 0
    beyond: int = 0
    size: int = 0
