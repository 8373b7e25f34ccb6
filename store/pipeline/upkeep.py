"""Upkeep: what is stale or beyond a capacity, the plan that archives it, and doing so by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from store.operations.plan import Plan
    from store.pipeline.compaction import Compaction
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.operations import Operations
    from store.pipeline.search import Search
    from store.pipeline.vault import VaultCompaction

_STALE = "is:stale -is:open"
_BY = "least_relevant"


class Excess(NamedTuple):
    """How many memories are stale, and how many are beyond the capacity of their layer."""

    stale: int = 0
    beyond: int = 0


class Upkeep:
    """Keeps memory small; every change is an operation that undo takes back."""

    def __init__(
        self,
        opened: OpenedStore,
        operations: Operations,
        search: Search,
        compaction: Compaction,
        vault: VaultCompaction,
    ) -> None:
        self._opened = opened
        self._operations = operations
        self._search = search
        self._compaction = compaction
        self._vault = vault

    def excess(self) -> Excess:
        """What could go. Changes nothing."""
        beyond = len(self._beyond().changes) // 2 if self._opened.settings.capacities else 0
        return Excess(len(self._search.found_ids(_STALE)), beyond)

    def plan(self) -> Plan:
        """What would go: what is beyond a capacity, else what is stale, else of a category that has
        more than 30 of an agent the oldest, folded into one. Empty where nothing would.
        """
        if self._opened.settings.capacities and not (plan := self._beyond()).is_empty:
            return plan
        if stale := self._search.found_ids(_STALE):
            return self._operations.plan_archive(stale)
        return self._compaction.plan_prune("cap")

    def make_room(self) -> None:
        """Archive what is stale or beyond a capacity and compact a vault, where the settings say
        so.
        """
        settings = self._opened.settings
        if settings.auto_archive and (stale := self._search.found_ids(_STALE)):
            self._operations.apply(self._operations.plan_archive(stale))
        if settings.auto_prune and settings.capacities:
            self._operations.apply(self._beyond())
        self._vault.compact_vault_if_due()

    def _beyond(self) -> Plan:
        return self._compaction.plan_prune(_BY)
