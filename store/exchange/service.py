"""Import, export and copies: memory comes in by a plan, and goes out as text, a store, or whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from store.action import Action, ActionKind
from store.backends import open_backend, shown_location
from store.backends.activity import RecallLog, counted
from store.backends.location import place_to_open
from store.backends.protocol import Backend
from store.backends.user_data import project_root
from store.errors import InvalidObservation
from store.exchange.agentx import read_memory, to_agentx_store
from store.exchange.copy import Copy, copy_memory, plan_copy
from store.exchange.json_lines import to_json_lines
from store.exchange.memory_bank import to_markdown_bank
from store.exchange.sources import read_source
from store.exchange.values import Format, Progress, Reading
from store.exchange.vault import in_place, plan_migration, to_vault
from store.model import Location, Observation
from store.notice import notice
from store.opened_store import OpenedStore
from store.operations.plan import Change, Plan
from store.operations.tombstones import Tombstones
from store.platform.home import expanded
from store.records import record_id, to_record
from store.search.service import Search
from store.validation.prepare import Prepared

_STEP = 100
"""Observations after which progress is reported again."""
_WRITERS: Mapping[str, Callable[[Iterable[Observation]], str]] = {
    Format.JSON_LINES: to_json_lines,
    Format.MARKDOWN: to_markdown_bank,
}


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
        level: str = "",
        removed: bool = False,
        progress: Progress | None = None,
    ) -> Plan:
        """Return a plan that brings in what a file or a folder holds and memory has not.

        What was removed here stays out, unless what is `removed` is wanted again. `agent`, `issue`,
        `category` and `level`, where given, hold for all of it. `progress` is called with the
        observations looked at, and all. Raises `NotFound`, `InvalidObservation`, `Unreadable`.
        """
        found = read_source(
            Path(source),
            format,
            agent=agent,
            issue=issue,
            category=category,
            project=project_root(self._store.path),
        )
        stones = Tombstones(()) if removed else Tombstones.of(self._store.backend)
        held = _held_contents(self._store.backend)

        def prepare(observation: Observation) -> Prepared:
            return self._store.prepare(observation._replace(level=level))

        return _plan_of(found, held, prepare, stones.has, progress)

    def plan_migration(self) -> Plan:
        """Return a plan that makes entries of a vault's flat files. Raises `InvalidObservation`."""
        return plan_migration(self._store.backend, self._store.prepare)

    def export(
        self, format: str = "json-lines", query: str = "", *, only: Collection[str] | None = None
    ) -> str:
        """Export all that a query finds, as JSON lines or a Markdown memory bank, oldest first.

        `only` are whole ids, taken in place of the query. Raises `InvalidObservation` for a format
        that is no text.
        """
        write = _WRITERS.get(format)
        if write is None:
            raise InvalidObservation(
                f"{format!r} is not a text format.",
                f"One of: {', '.join(_WRITERS)}; agentx and vault need a folder.",
            )
        return write(self._observations(self._search.ids(query) if only is None else only))

    def export_store(self, folder: Path | str, query: str = "", format: str = "agentx") -> int:
        """Write what a query finds as a store of its own, or as a vault; how many observations.

        Raises `Conflict` where the folder holds a store already, `InvalidObservation` for a format
        that is one text, and write errors.
        """
        found = self._observations(self._search.ids(query))
        if format == "vault":
            if self._store.is_vault:
                found = in_place(found, self._store.backend.folder)
            return to_vault(found, expanded(folder))
        if format != "agentx":
            raise InvalidObservation(
                f"{format!r} is not a folder of files.", "Use `export` and write it to a file."
            )
        return to_agentx_store(found, expanded(folder), self._store.clock())

    def _observations(self, identifiers: Iterable[str]) -> list[Observation]:
        """Return the whole observations with these ids, read from the record, oldest first, without
        secrets that others wrote, their recalls counted.
        """
        wanted = set(identifiers)
        recalls = RecallLog(self._store.backend.log)
        recalls.read_on(complete=True)
        everything = (item.observation for item in read_memory(self._store.backend).incoming)
        clean = self._store.index.outgoing.clean
        found = [clean(counted(one, recalls)) for one in everything if one.id in wanted]
        return sorted(found, key=lambda one: (one.timestamp, one.id))

    def plan_copy(self, target: Path | str, progress: Progress | None = None) -> Copy:
        """Plan a copy of this whole memory to another place. Changes nothing.

        `target` is a URL, a memory, or a folder to become one. `progress` is called with the issues
        compared, and all. Raises `Conflict` where another memory is there, `InvalidObservation`
        where it is this one, `NoMemory`, `ReadOnly` and `Unreadable`.
        """
        with self._other(target) as other:
            return plan_copy(self._own, other, target, progress)

    def copy(self, plan: Copy, progress: Progress | None = None) -> int:
        """Copy this memory whole, and verify it; how many memories the target has now.

        What the target already has is skipped, so an interrupted copy can be run again. This memory
        is not changed. `progress` is called with the issues done and their total. Raises as
        `plan_copy`, and write errors.
        """
        with self._other(plan.target) as other:
            shared = self._store.settings.share_sessions
            return copy_memory(self._own, other, plan.target, shared=shared, progress=progress)

    @property
    def _own(self) -> Backend:
        """What is copied: of several levels the one that has the log and the texts."""
        return next(iter(self._store.backend.levels.values()), self._store.backend)

    @contextmanager
    def _other(self, location: Path | str) -> Iterator[Backend]:
        """Another memory, opened for a while. Raises `InvalidObservation` where it is this one."""
        other = open_backend(place_to_open(location), self._store.clock)
        try:
            if other.identity == self._own.identity:
                shown = shown_location(location)
                raise InvalidObservation(f"{shown} is this memory itself.", "Choose another place.")
            yield other
        finally:
            other.release()


def _plan_of(
    reading: Reading,
    held: Mapping[str, str],
    prepare: Callable[[Observation], Prepared],
    is_removed: Callable[[Observation], bool],
    progress: Progress | None,
) -> Plan:
    """Return a plan that stores what is new. `held` is the content of each known id, and what
    `is_removed` was removed here and stays out.

    Ids and timestamps are kept, and what is archived goes to the archive. What could not be
    imported as it is, is named in the plan's notes.
    """
    known = dict(held)
    changes: list[Change] = []
    notes = list(reading.problems)
    already = removed = 0
    for number, item in enumerate(reading.incoming):
        if progress is not None and number % _STEP == 0:
            progress(number, len(reading.incoming))
        identifier, content = item.observation.id, item.observation.content
        if known.get(identifier) == content:
            already += 1
            continue
        try:
            prepared = prepare(item.observation)
        except InvalidObservation as error:
            notes.append(notice("skipped", text=error.full_message).at(item.place))
            continue
        observation = prepared.observation
        if identifier in known:
            if known[identifier] == observation.content:
                already += 1
            else:
                notes.append(notice("exists", id=identifier).at(item.place))
            continue
        if is_removed(observation):
            removed += 1
            continue
        notes += (note.at(item.place) for note in prepared.notices)
        known[observation.id] = observation.content
        location = Location.ARCHIVE if observation.archived else Location.ISSUE
        issue = observation.issue_number
        changes.append(Change(location, issue, observation.id, None, to_record(observation)))
    if progress is not None:
        progress(len(reading.incoming), len(reading.incoming))
    if removed:
        notes.insert(0, notice("removed-here", memories=removed, of=len(reading.incoming)))
    if already:
        notes.insert(0, notice("already-stored", memories=already, of=len(reading.incoming)))
    action = Action(ActionKind.IMPORT, {"memories": len(changes)})
    return Plan(action, tuple(changes), tuple(notes))


def _held_contents(backend: Backend) -> dict[str, str]:
    """Return the content of each id that is anywhere in a store, archive included."""
    held: dict[str, str] = {}
    for records in backend.read_each(sorted(backend.issues())):
        for value in records.values():
            identifier, content = record_id(value), value.get("content")
            if identifier is not None:
                held.setdefault(identifier, content if isinstance(content, str) else "")
    return held
