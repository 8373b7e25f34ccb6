"""Compaction and pruning: many related observations into few, originals archived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from store.errors import InvalidObservation
from store.model import Observation, check_issue

if TYPE_CHECKING:
    from store.compaction.compact import Progress
    from store.compaction.model import CompactionPlan, CompactionResult
    from store.compaction.prune import Pruning
    from store.operations.plan import Plan
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.operations import Operations


class Compaction:
    """Plans that make memory smaller without forgetting."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, operations: Operations) -> None:
        self._current = index
        self._backend = opened.backend
        self._opened = opened
        self._is_vault = opened.is_vault
        self._clock = opened.clock
        self._operations = operations

    def plan_compaction(
        self,
        issue: int | None = None,
        *,
        stale: bool = False,
        all: bool = False,
        progress: Progress | None = None,
    ) -> CompactionPlan:
        """What merges into what, for one issue, the stale issues, or all. Changes nothing.

        Exactly one of the three must be given. `progress` is told the observations looked at so
        far, and all. Raises `InvalidObservation`.
        """
        from store.compaction.compact import plan_compaction
        from store.compaction.model import CompactionSettings, stale_issues

        if (issue is not None) + stale + all != 1:
            raise InvalidObservation(
                "Nothing to compact was given.", "Give an issue, the stale issues or all."
            )
        now, days = self._clock(), self._opened.settings.stale_archive_after_days
        observations = self._active(None if issue is None else [check_issue(issue)])
        if stale:
            old = stale_issues(observations, now=now, days=days)
            observations = [item for item in observations if item.issue_number in old]
        settings = CompactionSettings(
            young_days=self._opened.settings.compaction_min_age_days, stale_days=days
        )
        return plan_compaction(observations, now=now, settings=settings, progress=progress)

    def compaction_changes(self, compaction: CompactionPlan) -> Plan:
        """The plan that carries out a compaction, to be applied. Raises `NotFound`."""
        from store.compaction.changes import to_plan

        issues = {cluster.merged.issue_number for cluster in compaction.clusters}
        return to_plan(compaction, {number: self._backend.read(number) for number in issues})

    def compact(self, issue: int) -> CompactionResult:
        """Compact one issue now (SPEC-29 §3.1), as an operation that can be undone."""
        from store.compaction.model import CompactionResult

        compaction = self.plan_compaction(issue)
        self._operations.apply(self.compaction_changes(compaction))
        return CompactionResult.of(compaction)

    def plan_prune(
        self, strategy: str, capacities: Mapping[str, int] | None = None, *, agent: str = ""
    ) -> Plan:
        """What a strategy would archive so that each layer is within its capacity.

        `capacities` by layer (the settings' by default); of all agents, or of the one named.
        Notes of a vault stay. Raises `InvalidObservation`.
        """
        from store.compaction.changes import prune_to_plan
        from store.compaction.prune import Strategy, prune
        from store.model import Layer

        known = {str(each): each for each in Strategy}
        if strategy not in known:
            raise InvalidObservation(
                f"Unknown strategy {strategy!r}.", f"One of: {', '.join(known)}."
            )
        limits = self._opened.settings.capacities if capacities is None else capacities
        pruning = prune(
            [it for it in self._active(None) if agent in ("", it.agent)],
            known[strategy],
            now=self._clock(),
            capacities={Layer(name): limit for name, limit in limits.items()},
        )
        issues = _issues_of(pruning)
        return prune_to_plan(pruning, {number: self._backend.read(number) for number in issues})

    def _active(self, issues: Iterable[int] | None) -> list[Observation]:
        """The active observations of some issues, or all, as they may be told: what they merge
        into is written and shown. Without notes of a vault, which are files that a person keeps.
        """
        from store.compaction.vault import is_note

        numbers, is_vault = self._backend.issues() if issues is None else issues, self._is_vault
        return [
            self._current.outgoing.clean(item)
            for number in sorted(numbers)
            for item in self._backend.read(number).observations()
            if not (item.archived or (is_vault and is_note(item)))
        ]


def _issues_of(pruning: Pruning) -> set[int]:
    merged = [original for cluster in pruning.clusters for original in cluster.originals]
    return {item.issue_number for item in (*pruning.archived, *merged)}
