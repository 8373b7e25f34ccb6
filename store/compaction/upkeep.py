"""Upkeep: what could be archived, and archiving it by itself where that is set."""

from __future__ import annotations

from store.compaction.model import Excess
from store.compaction.service import Compaction
from store.model import LARGE_STORE, MANY_OBSERVATIONS, Level
from store.opened_store import OpenedStore
from store.operations.journal import KEEP
from store.operations.plan import Plan
from store.operations.plans import Plans
from store.operations.service import History
from store.search.service import Search

_STALE = "is:stale -is:open"
_OWN = f"-level:{Level.TEAM}"
_MINE = f"-level:{Level.MINE}"
_NO_NOTES = "-agent:notes -category:project"
_BY = "least_relevant"


class Upkeep:
    """Keeps memory small; every change is an operation that can be undone."""

    def __init__(
        self,
        store: OpenedStore,
        plans: Plans,
        history: History,
        search: Search,
        compaction: Compaction,
    ) -> None:
        self._store = store
        self._plans = plans
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
        """Return the ids of what is stale, but not of what other projects may use; of a vault
        without the files that a person keeps.
        """
        if not self._store.is_vault:
            others = _MINE if self._store.backend.levels else ""
            own = "" if self._store.adds_to_team else _OWN
            return self._search.ids(f"{_STALE} {others} {own}")

        from store.compaction.vault import is_note  # only of a vault

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
            return self._plans.archive(stale)
        return self._compaction.plan_prune("cap")

    def make_room(self) -> None:
        """Archive what is stale or beyond a capacity and compact a vault, where the settings ask
        for it. What was captured of an old session is not gone before anybody saw it.
        """
        settings = self._store.settings
        if settings.auto_archive and (stale := self._stale()):
            young = self._history.brought_since(self._store.clock() - KEEP)
            if known := [identifier for identifier in stale if identifier not in young]:
                self._history.apply(self._plans.archive(known))
        if settings.auto_prune and self._has_capacities:
            self._history.apply(self._beyond())
        if self._store.is_vault:
            from store.compaction.vault_service import VaultCompaction  # only of a vault

            VaultCompaction(self._store, self._history, self._compaction).compact_if_due()

    def _beyond(self) -> Plan:
        return self._compaction.plan_prune(_BY)
