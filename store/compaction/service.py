"""Compaction and pruning, planned of what memory holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from store.compaction.model import CompactionPlan, stale_issues
from store.errors import InvalidObservation
from store.model import Layer, Observation, check_issue
from store.opened_store import OpenedStore
from store.operations.changes import Where
from store.operations.plan import Plan

if TYPE_CHECKING:
    # What merges and prunes is loaded when something is: each capture has upkeep, few compact.
    from store.compaction.compact import Progress


class Compaction:
    """Plans that make memory smaller without forgetting."""

    def __init__(self, store: OpenedStore) -> None:
        self._store = store

    def plan(
        self,
        issue: int | None = None,
        *,
        stale: bool = False,
        all: bool = False,
        progress: Progress | None = None,
    ) -> CompactionPlan:
        """Plan merges for one issue, the stale issues, or all. Changes nothing.

        Exactly one of the three must be given. `progress` is called with the observations looked at
        so far, and all. Raises `InvalidObservation`.
        """
        from store.compaction.compact import plan_compaction  # each capture has this service

        if (issue is not None) + stale + all != 1:
            raise InvalidObservation(
                "Nothing to compact was given.", "Give an issue, the stale issues or all."
            )
        now, days = self._store.clock(), self._store.settings.stale_archive_after_days
        observations = self._active(None if issue is None else [check_issue(issue)])
        if stale:
            old = stale_issues(observations, now=now, days=days)
            observations = [item for item in observations if item.issue_number in old]
        young = self._store.settings.compaction_min_age_days
        return plan_compaction(observations, now=now, young_days=young, progress=progress)

    def to_plan(self, compaction: CompactionPlan) -> Plan:
        """Return the plan that carries out a compaction, to be applied. Raises `NotFound`."""
        from store.compaction.compact import to_plan  # each capture has this service

        return to_plan(compaction, self._where(cluster.merged for cluster in compaction.clusters))

    def plan_prune(
        self,
        strategy: str,
        capacities: Mapping[str, int] | None = None,
        *,
        agent: str = "",
        keep: Collection[str] = (),
    ) -> Plan:
        """Plan what a strategy archives so that each layer is within its capacity.

        `capacities` by layer (the settings' by default); of all agents, or of the one named. Those
        to `keep`, by id, and notes of a vault stay. Raises `InvalidObservation`.
        """
        from store.compaction.prune import Strategy, prune  # each capture has this service

        known = {str(strategy): strategy for strategy in Strategy}
        if strategy not in known:
            raise InvalidObservation(
                f"Unknown strategy {strategy!r}.", f"One of: {', '.join(known)}."
            )
        limits = self._store.settings.capacities if capacities is None else capacities
        pruning = prune(
            [
                one
                for one in self._active(None)
                if agent in ("", one.agent) and not self._store.is_teams(one)
            ],
            known[strategy],
            now=self._store.clock(),
            capacities={Layer(name): limit for name, limit in limits.items()},
            is_vault=self._store.is_vault,
            keep=keep,
        )
        return pruning.to_plan(self._where(pruning.going))

    def _where(self, observations: Iterable[Observation]) -> Where:
        issues = {one.issue_number for one in observations}
        return {number: self._store.backend.read(number) for number in issues}

    def _active(self, issues: Iterable[int] | None) -> list[Observation]:
        """Return the active observations of some issues, or all, as they may be shown: what they
        merge into is written and shown. Without notes of a vault, which are files that a person
        keeps.
        """
        from store.compaction.vault import is_note  # each capture has this service

        numbers, is_vault = (
            self._store.backend.issues() if issues is None else issues,
            self._store.is_vault,
        )
        return [
            self._store.index.outgoing.clean(item)
            for number in sorted(numbers)
            for item in self._store.backend.read(number).observations()
            if not (item.archived or (is_vault and is_note(item)))
        ]
