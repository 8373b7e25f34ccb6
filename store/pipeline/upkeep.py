"""Upkeep: what is stale or beyond a capacity, the plan that archives it, and doing so by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from store.model import LARGE_STORE, MANY_OBSERVATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.operations.plan import Plan
    from store.pipeline.compaction import Compaction
    from store.pipeline.look_up import LookUp
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.operations import Operations
    from store.pipeline.search import Search
    from store.pipeline.vault import VaultCompaction

_STALE = "is:stale -is:open"
_NO_NOTES = "-agent:notes -category:project"
_BY = "least_relevant"
_MOVABLE = "-is:pinned -is:open -category:handoff"


class Excess(NamedTuple):
    """How many memories are stale, and how many are beyond the capacity of their layer.

    `size` are the bytes of a memory that grew large, in bytes or in number; else 0.
    """

    stale: int = 0
    beyond: int = 0
    size: int = 0


class Upkeep:
    """Keeps memory small; every change is an operation that can be undone."""

    def __init__(
        self,
        opened: OpenedStore,
        operations: Operations,
        search: Search,
        compaction: Compaction,
        vault: VaultCompaction,
        look_up: LookUp,
    ) -> None:
        self._opened = opened
        self._operations = operations
        self._search = search
        self._look_up = look_up
        self._compaction = compaction
        self._vault = vault

    def excess(self, *, fresh: bool = True) -> Excess:
        """How much could be archived. Changes nothing; without `fresh`, of the index as it is."""
        is_vault = self._vault.is_vault
        stale = len(self._stale()) if is_vault else self._count(_STALE, fresh=fresh)
        size, most = self._opened.size() or 0, MANY_OBSERVATIONS
        is_large = size > LARGE_STORE or self._count("", fresh=False) > most
        return Excess(stale, self._count_beyond(), size if is_large else 0)

    def _stale(self) -> list[str]:
        """The ids of what is stale; of a vault without the files that a person keeps."""
        if not self._vault.is_vault:
            return self._search.found_ids(_STALE)
        from store.compaction.vault import is_note

        found = self._search.found_ids(f"{_STALE} {_NO_NOTES}")
        return [it for it in found if not is_note(self._look_up.get(it, fresh=False))]

    def _count(self, query: str, *, fresh: bool) -> int:
        return self._search.search(query, 0, facets=(), fresh=fresh).total

    def _count_beyond(self) -> int:
        """How many memories a plan would take, by the index where that tells it exactly."""
        beyond = 0
        for layer, most in self._opened.settings.capacities.items():
            held, movable = self._by_agent(f"layer:{layer}"), None
            for agent, number in held.items():
                if number <= most:
                    continue
                movable = movable or self._by_agent(f"layer:{layer} {_MOVABLE}")
                if self._vault.is_vault or movable.get(agent, 0) < number - most:
                    return len(self._beyond().changes) // 2
                beyond += number - most
        return beyond

    def _by_agent(self, query: str) -> Mapping[str, int]:
        return self._search.search(query, 0, facets=("agent",), fresh=False).facets.agents

    def plan(self) -> Plan:
        """What would go: what is beyond a capacity, else what is stale, else of a category that has
        more than 30 of an agent the oldest, folded into one. Empty where nothing would.
        """
        if self._opened.settings.capacities and not (plan := self._beyond()).is_empty:
            return plan
        if stale := self._stale():
            return self._operations.plan_archive(stale)
        return self._compaction.plan_prune("cap")

    def make_room(self) -> None:
        """Archive what is stale or beyond a capacity and compact a vault, where the settings say
        so. What was captured of an old session is not gone before anybody was told it.
        """
        settings = self._opened.settings
        if settings.auto_archive and (stale := self._stale()):
            from store.operations.journal import KEEP

            young = self._operations.brought_since(self._opened.clock() - KEEP)
            if known := [it for it in stale if it not in young]:
                self._operations.apply(self._operations.plan_archive(known))
        if settings.auto_prune and settings.capacities:
            self._operations.apply(self._beyond())
        self._vault.compact_vault_if_due()

    def _beyond(self) -> Plan:
        return self._compaction.plan_prune(_BY)
