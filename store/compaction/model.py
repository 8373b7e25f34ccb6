"""The values of a compaction: what merges into what, why, and what it saves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from store.model import Observation


class Reason(StrEnum):
    """The reasons why the observations of a cluster belong together."""

    DUPLICATE = "duplicate"
    SUPERSEDED = "superseded"
    FOLDED = "folded"


class Alone(StrEnum):
    PINNED = "pinned"
    MUTED = "muted"
    OPEN_TASK = "open task"
    LATEST_HANDOFF = "latest handoff"
    YOUNG = "too young"
    AMBIGUOUS = "its id is not unique"
    UNRELATED = "nothing related"
    CHOSEN = "left out by choice"


class BeforeAfter(NamedTuple):
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A statement that the merged observation does not carry over.

    `instead` is the statement in its place, which restates it or, where it is `superseded`, is a
    later one; `missing` its words and marks that the merged observation lacks.
    """

    observation_id: str
    statement: str
    instead: str
    superseded: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Observations (newest first) that become one."""

    reason: Reason
    originals: tuple[Observation, ...]
    merged: Observation
    left_out: tuple[LeftOut, ...] = ()

    @property
    def id(self) -> str:
        """The name of the cluster: the id of the observation that it leaves."""
        return self.merged.id

    @property
    def characters(self) -> BeforeAfter:
        before = sum(len(original.content) for original in self.originals)
        return BeforeAfter(before, len(self.merged.content))

    @property
    def tokens(self) -> BeforeAfter:
        return BeforeAfter(sum(one.tokens for one in self.originals), self.merged.tokens)


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
        return not self.clusters

    @property
    def observations(self) -> BeforeAfter:
        alone = len(self.left_alone)
        merged = sum(len(cluster.originals) for cluster in self.clusters)
        return BeforeAfter(alone + merged, alone + len(self.clusters))

    @property
    def characters(self) -> BeforeAfter:
        alone = sum(len(left.observation.content) for left in self.left_alone)
        return self._total(alone, [cluster.characters for cluster in self.clusters])

    @property
    def tokens(self) -> BeforeAfter:
        alone = sum(left.observation.tokens for left in self.left_alone)
        return self._total(alone, [cluster.tokens for cluster in self.clusters])

    def after(self) -> list[Observation]:
        merged = [cluster.merged for cluster in self.clusters]
        return merged + [left.observation for left in self.left_alone]

    def _total(self, alone: int, clusters: list[BeforeAfter]) -> BeforeAfter:
        before = sum(figure.before for figure in clusters)
        return BeforeAfter(alone + before, alone + sum(figure.after for figure in clusters))


def stale_issues(
    observations: Iterable[Observation], *, now: datetime, days: float
) -> frozenset[int]:
    """Return the issues whose newest active observation is more than `days` old."""
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
