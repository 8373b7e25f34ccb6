"""Keeping memory small: compaction, pruning, a vault's own compaction, and upkeep by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from store.compaction.model import CompactionPlan, Excess, stale_issues
from store.errors import InvalidObservation
from store.model import (
    LARGE_STORE,
    MANY_OBSERVATIONS,
    Layer,
    Observation,
    check_issue,
)
from store.opened_store import OpenedStore
from store.operations.changes import Where
from store.operations.journal import KEEP
from store.operations.plan import Plan
from store.operations.service import History, Plans
from store.search.service import Search

if TYPE_CHECKING:
    # What merges and prunes is loaded when something is: each capture has upkeep, few compact.
    from store.compaction.compact import Progress

_STALE = "is:stale -is:open"
_NO_NOTES = "-agent:notes -category:project"
_BY = "least_relevant"


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
        from store.compaction.compact import plan_compaction

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
        from store.compaction.compact import to_plan

        return to_plan(compaction, self._where(cluster.merged for cluster in compaction.clusters))

    def plan_prune(
        self, strategy: str, capacities: Mapping[str, int] | None = None, *, agent: str = ""
    ) -> Plan:
        """Plan what a strategy archives so that each layer is within its capacity.

        `capacities` by layer (the settings' by default); of all agents, or of the one named.
        Notes of a vault stay. Raises `InvalidObservation`.
        """
        from store.compaction.prune import Strategy, prune

        known = {str(strategy): strategy for strategy in Strategy}
        if strategy not in known:
            raise InvalidObservation(
                f"Unknown strategy {strategy!r}.", f"One of: {', '.join(known)}."
            )
        limits = self._store.settings.capacities if capacities is None else capacities
        pruning = prune(
            [one for one in self._active(None) if agent in ("", one.agent)],
            known[strategy],
            now=self._store.clock(),
            capacities={Layer(name): limit for name, limit in limits.items()},
        )
        return pruning.to_plan(self._where(pruning.going))

    def _where(self, observations: Iterable[Observation]) -> Where:
        """Return the records of the issues that observations are of."""
        issues = {one.issue_number for one in observations}
        return {number: self._store.backend.read(number) for number in issues}

    def _active(self, issues: Iterable[int] | None) -> list[Observation]:
        """Return the active observations of some issues, or all, as they may be shown: what they
        merge into is written and shown. Without notes of a vault, which are files that a person
        keeps.
        """
        from store.compaction.vault import is_note

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


class Upkeep:
    """Keeps memory small; every change is an operation that can be undone."""

    def __init__(
        self,
        store: OpenedStore,
        history: History,
        search: Search,
        compaction: Compaction,
    ) -> None:
        self._store = store
        self._history = history
        self._search = search
        self._compaction = compaction

    def excess(self, *, fresh: bool = True) -> Excess:
        """Count what could be archived. Changes nothing; without `fresh`, by the index as it is."""
        is_vault = self._store.is_vault
        stale = len(self._stale()) if is_vault else self._count(_STALE, fresh=fresh)
        size, most = self._store.size() or 0, MANY_OBSERVATIONS
        is_large = size > LARGE_STORE or self._count("", fresh=False) > most
        beyond = self._beyond().action.figures["memories"] if self._has_capacities else 0
        return Excess(stale, beyond, size if is_large else 0)

    def _stale(self) -> list[str]:
        """Return the ids of what is stale; of a vault without the files that a person keeps."""
        if not self._store.is_vault:
            return self._search.ids(_STALE)

        from store.compaction.vault import is_note

        found = self._search.ids(f"{_STALE} {_NO_NOTES}")
        return [
            identifier
            for identifier in found
            if not is_note(self._search.get(identifier, fresh=False))
        ]

    def _count(self, query: str, *, fresh: bool) -> int:
        return self._search.search(query, 0, facets=(), fresh=fresh).total

    @property
    def _has_capacities(self) -> bool:
        return bool(self._store.settings.capacities)

    def plan(self) -> Plan:
        """Return what would go: what is beyond a capacity, else what is stale, else of a category
        that has more than 30 of an agent the oldest, folded into one. Empty where nothing would.
        """
        if self._has_capacities and not (plan := self._beyond()).is_empty:
            return plan
        if stale := self._stale():
            return Plans(self._store).archive(stale)
        return self._compaction.plan_prune("cap")

    def make_room(self) -> None:
        """Archive what is stale or beyond a capacity and compact a vault, where the settings say
        so. What was captured of an old session is not gone before anybody saw it.
        """
        settings = self._store.settings
        if settings.auto_archive and (stale := self._stale()):
            young = self._history.brought_since(self._store.clock() - KEEP)
            if known := [identifier for identifier in stale if identifier not in young]:
                self._history.apply(Plans(self._store).archive(known))
        if settings.auto_prune and self._has_capacities:
            self._history.apply(self._beyond())
        if self._store.is_vault:
            from store.compaction.vault_service import VaultCompaction

            VaultCompaction(self._store, self._history, self._compaction).compact_if_due()

    def _beyond(self) -> Plan:
        return self._compaction.plan_prune(_BY)
