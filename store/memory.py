"""Memory: the one door to a store, for the app, the command line and every program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from store.backends import Location
from store.backends.location import find_store, place_to_open
from store.backends.protocol import Backend
from store.backends.user_data import everywhere_folder
from store.current_index import CurrentIndex
from store.drift.kept import KeptVerdicts
from store.errors import Away, NotFound, StoreError
from store.forgetting import Forgetting
from store.model import (
    USES,
    EntrySource,
    Observation,
    Problem,
    SearchResult,
    StoreStats,
    check_issue,
)
from store.opened_store import Clock, NewId, OpenedStore
from store.platform.lazy_property import lazy_property
from store.platform.write import make_private
from store.search.fields import FACETS
from store.search.service import Search
from store.sessions.session_search import SessionSearch
from store.settings.files import load_settings
from store.settings.schema import Settings
from store.usage.kept import KeptSessions, KeptUsage

if TYPE_CHECKING:
    # Each service, and what a method needs, is loaded when it is asked for: every recall starts an
    # agent's session, and every command has a memory.
    from store.activity.log import ActivityLog
    from store.agent_context.service import AgentContexts
    from store.capture.service import Capture
    from store.clarifications.service import Clarifications
    from store.compaction.service import Compaction
    from store.compaction.upkeep import Upkeep
    from store.compaction.vault_service import VaultCompaction
    from store.doctor.service import Doctor
    from store.drift.service import Drifts
    from store.events import MemoryProblem
    from store.exchange.service import Exchange
    from store.inbox.service import Inbox
    from store.operations.apply import Applied
    from store.operations.batch import StoreReport
    from store.operations.plan import GoesOn, Plan
    from store.operations.plans import Plans
    from store.operations.service import History
    from store.operations.undo import Progress
    from store.recall.service import Recalls
    from store.related import Related
    from store.search.highlight import Marks
    from store.search.query import Query
    from store.sessions.continuation import Continuation
    from store.sessions.indexing import SessionIndexing
    from store.sessions.project_files import SessionFiles
    from store.sessions.service import Sessions
    from store.settings.files import Mistake
    from store.statistics import Statistics
    from store.store_state import StoreState
    from store.usage.service import Usage


def open_memory(
    path: Location | None = None,
    *,
    cache: Path | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    new_id: NewId | None = None,
) -> Memory:
    """Open the memory at a path or URL, of a project, or the nearest in this folder or above.

    A folder that does not exist yet, or is empty, becomes a memory with its first write; in one
    with other things, a project, that begins `.agentx/memory`. `cache` is the folder for derived
    data (the user's cache folder by default). Raises `NoMemory`.
    """
    location = find_store(Path.cwd()) if path is None else place_to_open(path)
    return Memory(location, cache=cache, settings=settings, clock=clock, new_id=new_id)


def open_everywhere() -> Memory:
    """Open the sessions of all projects on this machine, kept apart from every memory.

    Raises `StoreError` where the user's settings turn this off or the cache can't be written.
    """
    folder = everywhere_folder()
    settings = load_settings(folder).settings
    if not settings.sessions_everywhere:
        raise StoreError(
            "The setting sessions_everywhere is off: only sessions of this project are searched.",
            "Turn it on with `memtui config set sessions_everywhere true`.",
        )
    try:
        make_private(folder)
    except OSError as error:
        raise StoreError(
            f"Sessions of all projects can't be kept in {folder}: {error.strerror}.",
            "Make that folder, or name another cache with XDG_CACHE_HOME.",
        ) from error
    return Memory(folder, settings=replace(settings, keep_messages=False))


class Memory:
    """The memories of one store. Safe to share between threads.

    What changes memory is first a plan: of `plan` or of a service, carried out by `apply`.
    """

    def __init__(
        self,
        location: Path | str | Backend,
        *,
        cache: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        new_id: NewId | None = None,
    ) -> None:
        self._store = OpenedStore(
            location, cache=cache, settings=settings, clock=clock, new_id=new_id
        )
        self._search = Search(self._store)
        self._session_search = SessionSearch(self._store)
        self._verdicts = KeptVerdicts(self._store.cache, self._store.path)
        self._usage = KeptUsage(self._store.cache, self._store.path)
        self._store.index.ids_of = self._ids_of
        self._forgetting = Forgetting(self._store, self._session_search, self._usage)
        self.backend = self._store.backend
        self.location = self._store.location
        """Where it is opened again: a path, or a URL that may hold a password."""
        self.path = self._store.path
        self.events = self._store.events

    # Memories: found, read, added.

    def search(
        self,
        query: str = "",
        limit: int = 50,
        offset: int = 0,
        *,
        facets: tuple[str, ...] = FACETS,
        fresh: bool = True,
    ) -> SearchResult:
        """Return one page of what a query finds, and facets of all of it. Never fails for the
        query.

        With `fresh=False` the files are not looked at first: for each key typed, while
        `index.refresh` runs in another thread. `limit=0` returns facets only and is not counted in
        the statistics.
        """
        parsed = self.parse_query(query)
        if parsed.place == "memories":
            return self._search.search(parsed, limit, offset, facets=facets, fresh=fresh)
        from store.sessions.joined import together

        if parsed.place == "sessions":
            return self._session_search.search(parsed, limit, offset, facets, fresh=fresh)
        pages = [
            self._search.search(parsed, offset + limit, facets=facets, fresh=fresh),
            self._session_search.search(parsed, offset + limit, 0, facets, fresh=fresh),
        ]
        return together(parsed, pages, limit, offset)

    def search_ids(self, query: str) -> list[str]:
        """Return the ids of all that a query finds exactly, in its order.

        Raises `InvalidQuery` where it is not understood in full: what is found is to be changed or
        exported, not looked at.
        """
        return self._search.ids(query)

    def parse_query(self, query: str) -> Query:
        """Return a query taken apart, for colouring it and saying what is understood."""
        return self._search.parse(query)

    def highlights(self, text: str, query: str, near: Sequence[tuple[str, str]] = ()) -> Marks:
        """Find the words of a query in a text: character ranges."""
        from store.search.highlight import marks, wanted

        return marks(text, wanted(self.parse_query(query), near))

    def get(self, identifier: str, *, fresh: bool = True, messages: bool = True) -> Observation:
        """Return the observation with this id, or the only one whose id ends with it; else such a
        message, unless only memories are wanted.

        Raises `NotFound`, `AmbiguousId`.
        """
        try:
            return self._search.get(identifier, fresh=fresh)
        except NotFound:
            message = self._session_search.message(identifier) if messages else None
            if message is None:
                raise
            return message

    def get_redacted(
        self, identifier: str, *, fresh: bool = True, messages: bool = True
    ) -> Observation:
        """As `get`, but safe to show: without secrets and private passages of other programs.

        What is to be changed is read by `get`.
        """
        return self.redacted(self.get(identifier, fresh=fresh, messages=messages))

    def redacted(self, observation: Observation) -> Observation:
        """An observation as it may be shown: without private blocks and secrets of others."""
        return self.index.outgoing.clean(observation)

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file. Raises `InvalidObservation`."""
        return self.backend.read(check_issue(issue)).observations()

    def related(self, observation: Observation) -> list[Related]:
        """Return the memories related to one, the closest first, each once; at most twelve."""
        from store.related import Relatives

        return Relatives(self._store, self._search).related(observation)

    def store(self, observations: Sequence[Observation]) -> list[str]:
        """As `add`, but returns the ids alone, in order (SPEC-29's name)."""
        return list(self.add(observations).ids)

    def add(
        self, observations: Sequence[Observation], *, agent: str = "", source: str = ""
    ) -> StoreReport:
        """Store observations; durable when this returns. An `agent` that is named brings back
        nothing that others removed. What agents do names its `source`, an `EntrySource`: with the
        setting `review = "before"` it waits in the inbox.

        The report has their ids, and what was cut, redacted or already stored. Raises
        `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`, `PartlyStored`.
        """
        return self.history.add(observations, agent=agent, source=source)

    # Changes: planned by `plan` and by the services, carried out here.

    def apply(
        self,
        plan: Plan,
        goes_on: GoesOn | None = None,
        *,
        agent: str = "",
        source: str = "",
    ) -> Applied:
        """Carry out a plan; `goes_on` may stop it between two issues.

        What an `agent` that is named removes, it may add again; `source` is as for `add`. Raises
        `Conflict` where nothing could be done, and write errors.
        """
        return self.history.apply(plan, goes_on, agent=agent, source=source)

    def edit(
        self,
        identifier: str,
        fields: Mapping[str, Any] | Callable[[Observation], Mapping[str, Any]],
        kind: str = "edit",
        *,
        agent: str = "",
        source: str = "",
    ) -> Applied:
        """Set fields of an observation by what its record holds at that moment, for an `agent`;
        `source` is as for `add`.

        Who edits it at the same time waits, and is not refused. Raises `NotFound`,
        `InvalidObservation`, and write errors.
        """
        return self.history.edit(identifier, fields, kind, agent=agent, source=source)

    def undo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """Undo the last operation, or a named one. Raises `NotFound`, `Conflict`.

        `progress` gets the number of issues done, and of all.
        """
        return self.history.undo(operation_id, progress)

    def redo(self, operation_id: str | None = None, progress: Progress | None = None) -> Applied:
        """Redo what the last undo, or a named one, undid. Raises `NotFound`, `Conflict`."""
        return self.history.redo(operation_id, progress)

    def forget(self, plan: Plan, *, agent: str = "", source: str = "") -> Applied:
        """Carry out a plan of `plan.forget`, and remove its memories from everything derived.

        It can't be undone. An `agent` removes nothing from the texts of others; `source` is as for
        `add`. Raises as `apply`.
        """
        return self.history.forget(plan, agent=agent, source=source)

    # The services.

    @property
    def index(self) -> CurrentIndex:
        """The index, and how it follows the files."""
        return self._store.index

    @lazy_property
    def plan(self) -> Plans:
        """Plans of changes: add, edit, tag, archive, restore, remove, forget."""
        from store.operations.plans import Plans

        return Plans(self._store, self._forgetting)

    @lazy_property
    def history(self) -> History:
        """The operations that were carried out, and what takes them back."""
        from store.operations.service import History

        return History(self._store, self._session_search, self._forgetting)

    @lazy_property
    def sessions(self) -> Sessions:
        """Conversations with agents: listed, opened to be read."""
        from store.sessions.service import Sessions

        return Sessions(self._store, self._session_search, self.session_indexing)

    @lazy_property
    def session_files(self) -> SessionFiles:
        """The files in which clients keep the project's conversations."""
        from store.sessions.project_files import SessionFiles

        return SessionFiles(self._store)

    @lazy_property
    def session_indexing(self) -> SessionIndexing:
        """From session files to what is kept of them."""
        from store.sessions.indexing import SessionIndexing

        return SessionIndexing(self._store, self._session_search)

    @lazy_property
    def continuation(self) -> Continuation:
        """Going on after a session: checkpoints, recovery, handoffs."""
        from store.sessions.continuation import Continuation

        return Continuation(
            self._store, lambda batch: self.add(batch, source=EntrySource.CAPTURE).ids
        )

    @lazy_property
    def capture(self) -> Capture:
        """From a session to memories."""
        from store.capture.service import Capture

        return Capture(self._store, self.history, self.sessions, self.session_indexing, self.upkeep)

    @lazy_property
    def recall(self) -> Recalls:
        """From memories to the text put in front of a session."""
        from store.recall.service import Recalls

        return Recalls(self._store, self._session_search, self._verdicts)

    @lazy_property
    def context(self) -> AgentContexts:
        """What a client has in its context at a session's start, from memory and from others."""
        from store.agent_context.service import AgentContexts

        return AgentContexts()

    @lazy_property
    def compaction(self) -> Compaction:
        """Many related memories into few; the oldest to the archive."""
        from store.compaction.service import Compaction

        return Compaction(self._store)

    @lazy_property
    def vault(self) -> VaultCompaction:
        """The compaction of a vault of Markdown."""
        from store.compaction.vault_service import VaultCompaction

        return VaultCompaction(self._store, self.history, self.compaction)

    @lazy_property
    def upkeep(self) -> Upkeep:
        """Archiving of stale memories, and of those beyond a capacity."""
        from store.compaction.upkeep import Upkeep

        return Upkeep(self._store, self.plan, self.history, self._search, self.compaction)

    @lazy_property
    def inbox(self) -> Inbox:
        """What agents want of memory, until somebody approves it."""
        from store.inbox.service import Inbox

        return Inbox(self._store, self.history)

    @property
    def has_clarifications(self) -> bool:
        """There is a folder of clarifications, perhaps an empty one."""
        return self._store.has_clarifications

    @lazy_property
    def clarifications(self) -> Clarifications:
        """The questions between agents."""
        from store.clarifications.service import Clarifications

        return Clarifications(self._store)

    @lazy_property
    def doctor(self) -> Doctor:
        """Examination of a store, and its repair."""
        from store.doctor.service import Doctor

        return Doctor(self._store, self.history, self.drift)

    @lazy_property
    def drift(self) -> Drifts:
        """What became of the code that memories name."""
        from store.drift.service import Drifts

        return Drifts(self._store, self.plan, self._verdicts)

    @lazy_property
    def usage(self) -> Usage:
        """What sessions did with the memories that they were given."""
        from store.usage.service import Usage

        return Usage(self._store, self.sessions, self._usage)

    @lazy_property
    def exchange(self) -> Exchange:
        """Import, export and copies."""
        from store.exchange.service import Exchange

        return Exchange(self._store, self._search)

    # The store as a whole.

    @property
    def is_vault(self) -> bool:
        """The memory is a vault of Markdown."""
        return self._store.is_vault

    @property
    def is_everywhere(self) -> bool:
        """It is no project's memory: it holds the sessions of all projects, for search."""
        return self._store.is_everywhere

    @property
    def settings(self) -> Settings:
        """The settings that hold now."""
        return self._store.settings

    @property
    def settings_sources(self) -> Mapping[str, str]:
        """The origin of each setting: a file, a variable of the environment or "default"."""
        return self._store.loaded_settings.sources

    @property
    def settings_mistakes(self) -> tuple[Mistake, ...]:
        """Mistakes in the settings, which were ignored."""
        return self._store.loaded_settings.mistakes

    def reload_settings(self) -> None:
        """Take the settings from their files again; those that a program gave stay."""
        self._store.reload_settings()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files and records that could not be read when they were last looked at."""
        return self.index.problems

    def stats(self) -> StoreStats:
        """Totals over the records in issue files, archived flag or not.

        While a database is away, of what the index has.
        """
        from store.search.figures import index_stats

        schema, now = self.index.index.schema, self._store.clock()
        return self.index.ask(
            lambda searcher: index_stats(searcher, schema, now, self._store.size())
        )

    def state(self) -> StoreState:
        """Summarise the store for a screen, without looking at the files again."""
        from store.search.figures import held
        from store.store_state import StoreState, number_proposed

        total, tokens = self.index.ask(
            lambda searcher: held(searcher, self.index.index.schema), fresh=False
        )
        return StoreState(
            path=self.path,
            writable=self.backend.is_writable(),
            total=total,
            tokens=tokens,
            problems=self.index.problems,
            notice=self.index.notice,
            proposed=number_proposed(self.backend),
        )

    def statistics(self, *, fresh: bool = True) -> Statistics:
        """Count memories, and the work of capture, injection and search.

        Searches are those of this run; the rest is in the activity log. Without `fresh`, the index
        is asked as it is. Raises `Unreadable`, but goes on from the index while a database is away.
        """
        from store.activity.log import read_log
        from store.search.figures import index_figures
        from store.statistics import LINES, Statistics, search_entries, timings

        now, schema = self._store.clock(), self.index.index.schema
        figures = self.index.ask(lambda searcher: index_figures(searcher, schema, now), fresh=fresh)
        try:
            logged = read_log(self.backend, LINES).entries
            timed = timings([*logged, *search_entries(reversed(self._store.recorder.searches))])
        except Away:
            timed = {}
        return Statistics(figures=figures, size_bytes=self._store.size(), timings=timed)

    def activity(self, limit: int = 500, known: ActivityLog | None = None) -> ActivityLog:
        """Return the activity log, newest first, and how capture is doing. Raises `Unreadable`.

        Where nothing happened since `known` was read, it is the answer.
        """
        from store.activity.log import read_log

        return read_log(self.backend, limit, known)

    def known_usage(self) -> KeptSessions:
        """Return what sessions did with what they were given, as `usage` worked it out."""
        return self._usage.load()

    def _ids_of(self, verdict: str) -> Sequence[str]:
        """Return the ids of the memories on which there is a verdict."""
        return (self._usage if verdict in USES else self._verdicts).load().ids(verdict)

    def on_problem(self, listener: Callable[[MemoryProblem], None]) -> None:
        """Call `listener` for each failure that did not stop memory, in the thread in which it
        happens. The activity log has it too.
        """
        self.index.report_missing()
        self.events.subscribe("memory-problem", listener)

    def record_failure(self, kind: str, message: str, session_id: str = "") -> None:
        """Record that something was to be done, for a session it may be, and could not."""
        self._store.recorder.failed(kind, message, session_id)

    def close(self) -> None:
        """Settle what was written, and capture no more. Never raises for derived files."""
        if "capture" in vars(self):
            self.capture.stop_listening()
        self.index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


MemoryPipeline = Memory
"""SPEC-29's name for it."""
