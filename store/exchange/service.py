"""Import, export and copies: memory comes in by a plan, and goes out as text, a store, or whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from store.backends import open_backend, shown_location
from store.backends.location import place_to_open
from store.backends.protocol import Backend
from store.errors import InvalidObservation
from store.exchange.agentx import to_agentx_store
from store.exchange.copy import Copy, copy_memory, plan_copy
from store.exchange.export import named, to_text
from store.exchange.import_ import held_contents, plan_import
from store.exchange.migration import plan_migration
from store.exchange.sources import read_source
from store.exchange.values import Progress
from store.exchange.vault import in_place, to_vault
from store.opened_store import OpenedStore
from store.operations.plan import Plan
from store.operations.tombstones import Tombstones
from store.platform.home import expanded
from store.search.service import Search


class Exchange:
    """Import, export, copies."""

    def __init__(self, store: OpenedStore, search: Search) -> None:
        self._store = store
        self._search = search

    def plan_import(
        self,
        source: Path | str,
        format: str = "auto",
        *,
        agent: str | None = None,
        issue: int | None = None,
        category: str | None = None,
        removed: bool = False,
        progress: Progress | None = None,
    ) -> Plan:
        """A plan that brings in what a file or a folder holds and memory has not.

        What was removed here stays out, unless what is `removed` is wanted again. `agent`, `issue`
        and `category`, where given, hold for all of it. `progress` is told the observations looked
        at, and all. Raises `NotFound`, `InvalidObservation`, `Unreadable`.
        """
        found = read_source(Path(source), format, agent=agent, issue=issue, category=category)
        stones = Tombstones(()) if removed else Tombstones.of(self._store.backend)
        held = held_contents(self._store.backend)
        return plan_import(found, held, self._store.prepare, progress, is_removed=stones.has)

    def plan_migration(self) -> Plan:
        """A plan that makes entries of a vault's flat files. Raises `InvalidObservation`."""
        return plan_migration(self._store.backend, self._store.prepare)

    def export(
        self,
        format: str = "json-lines",
        query: str = "",
        *,
        only: Collection[str] | None = None,
    ) -> str:
        """Export all that a query finds, as JSON lines or a Markdown memory bank, oldest first.

        `only` are whole ids, taken in place of the query. Raises `InvalidObservation` for a format
        that is no text.
        """
        wanted = self._search.ids(query) if only is None else only
        return to_text(named(self._store.backend, wanted, self._store.index.outgoing.clean), format)

    def export_store(self, folder: Path | str, query: str = "", format: str = "agentx") -> int:
        """Write what a query finds as a store of its own, or as a vault; how many observations.

        Raises `Conflict` where the folder holds a store already, `InvalidObservation` for a format
        that is one text, and write errors.
        """
        wanted = self._search.ids(query)
        found = named(self._store.backend, wanted, self._store.index.outgoing.clean)
        if format == "vault":
            if self._store.is_vault:
                found = in_place(found, self._store.backend.folder)
            return to_vault(found, expanded(folder))
        if format != "agentx":
            raise InvalidObservation(
                f"{format!r} is not a folder of files.", "Use `export` and write it to a file."
            )
        return to_agentx_store(found, expanded(folder), self._store.clock())

    def plan_copy(self, target: Path | str, progress: Progress | None = None) -> Copy:
        """Plan a copy of this whole memory to another place. Changes nothing.

        `target` is a URL, a memory, or a folder to become one. `progress` is told the issues
        compared, and all. Raises `Conflict` where another memory is there, `InvalidObservation`
        where it is this one, `NoMemory`, `ReadOnly` and `Unreadable`.
        """
        with self._other(target) as other:
            return plan_copy(self._store.backend, other, target, progress)

    def copy(self, plan: Copy, progress: Progress | None = None) -> int:
        """Copy this memory whole, and verify it; how many memories the target has now.

        What the target already has is skipped, so an interrupted copy can be run again. This memory
        is not changed. `progress` is called with the issues done and their total. Raises as
        `plan_copy`, and write errors.
        """
        with self._other(plan.target) as other:
            shared = self._store.settings.share_sessions
            return copy_memory(
                self._store.backend, other, plan.target, shared=shared, progress=progress
            )

    @contextmanager
    def _other(self, location: Path | str) -> Iterator[Backend]:
        """Another memory, opened for a while. Raises `InvalidObservation` where it is this one."""
        other = open_backend(place_to_open(location), self._store.clock)
        try:
            if other.identity == self._store.backend.identity:
                shown = shown_location(location)
                raise InvalidObservation(f"{shown} is this memory itself.", "Choose another place.")
            yield other
        finally:
            other.release()
