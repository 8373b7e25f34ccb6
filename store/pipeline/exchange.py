"""Import, export and copies: memory comes in by a plan, and goes out as text, a store, or whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from store.home import expanded

if TYPE_CHECKING:
    from store.backends.protocol import Backend
    from store.exchange.copy import Copy
    from store.exchange.values import Progress
    from store.operations.plan import Plan
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore
    from store.pipeline.search import Search


class Exchange:
    """Import, export, copies."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex, search: Search) -> None:
        self._current = index
        self._opened = opened
        self._backend = opened.backend
        self._clock = opened.clock
        self._prepare = opened.prepare
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
        from store.exchange.import_ import held_contents, plan_import
        from store.exchange.sources import read_source
        from store.operations.tombstones import Tombstones

        found = read_source(Path(source), format, agent=agent, issue=issue, category=category)
        stones = Tombstones(()) if removed else Tombstones.of(self._backend)
        held = held_contents(self._backend)
        return plan_import(found, held, self._prepare, progress, is_removed=stones.has)

    def plan_migration(self) -> Plan:
        """A plan that makes entries of a vault's flat files. Raises `InvalidObservation`."""
        from store.exchange.migration import plan_migration

        return plan_migration(self._backend, self._prepare)

    def export(
        self,
        format: str = "json-lines",
        query: str = "",
        *,
        only: Collection[str] | None = None,
    ) -> str:
        """What a query finds, all of it, as JSON lines or a Markdown memory bank, oldest first.

        `only` are whole ids, taken in place of the query. Raises `InvalidObservation` for a format
        that is no text.
        """
        from store.exchange.export import named, to_text

        wanted = self._search.found_ids(query) if only is None else only
        return to_text(named(self._backend, wanted, self._current.outgoing.clean), format)

    def export_store(self, folder: Path | str, query: str = "", format: str = "agentx") -> int:
        """Write what a query finds as a store of its own, or as a vault; how many observations.

        Raises `Conflict` where the folder holds a store already, `InvalidObservation` for a format
        that is one text, and write errors.
        """
        from store.errors import InvalidObservation
        from store.exchange.agentx import to_agentx_store
        from store.exchange.export import named

        wanted = self._search.found_ids(query)
        found = named(self._backend, wanted, self._current.outgoing.clean)
        if format == "vault":
            from store.exchange.vault import in_place, to_vault

            if self._opened.is_vault:
                found = in_place(found, self._backend.folder)
            return to_vault(found, expanded(folder))
        if format != "agentx":
            raise InvalidObservation(
                f"{format!r} is not a folder of files.", "Use `export` and write it to a file."
            )
        return to_agentx_store(found, expanded(folder), self._clock())

    def plan_copy(self, target: Path | str, progress: Progress | None = None) -> Copy:
        """What copying this memory whole to another place would write there. Changes nothing.

        `target` is a URL, a memory, or a folder to become one. `progress` is told the issues
        compared, and all. Raises `Conflict` where another memory is there, `InvalidObservation`
        where it is this one, `NoMemory`, `ReadOnly` and `Unreadable`.
        """
        from store.exchange.copy import plan_copy

        with self._other(target) as other:
            return plan_copy(self._backend, other, target, progress)

    def copy(self, plan: Copy, progress: Progress | None = None) -> int:
        """Copy this memory whole, and verify it; how many memories the target has now.

        What the target already has is skipped, so an interrupted copy can be run again. This memory
        is not changed. `progress` is called with the issues done and their total. Raises as
        `plan_copy`, and write errors.
        """
        from store.exchange.copy import copy_memory

        with self._other(plan.target) as other:
            shared = self._opened.settings.share_sessions
            return copy_memory(self._backend, other, plan.target, shared=shared, progress=progress)

    @contextmanager
    def _other(self, location: Path | str) -> Iterator[Backend]:
        """Another memory, opened for a while. Raises `InvalidObservation` where it is this one."""
        from store.backends import open_backend, shown_location
        from store.backends.location import place_to_open
        from store.errors import InvalidObservation

        other = open_backend(place_to_open(location), self._clock)
        try:
            if other.identity == self._backend.identity:
                shown = shown_location(location)
                raise InvalidObservation(f"{shown} is this memory itself.", "Choose another place.")
            yield other
        finally:
            other.release()
