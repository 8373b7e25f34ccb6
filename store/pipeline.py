"""MemoryPipeline: the one door to memory, for the app, the command line and every program."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from store.disk.issue_records import Problem, list_issues, read_issue
from store.disk.json_store import JsonObservationStore
from store.disk.layout import MANIFEST, check_issue, find_store, issue_of, named_store
from store.disk.manifest import settle_manifest
from store.disk.protocol import StoreReport
from store.disk.records import format_time
from store.disk.totals import size_on_disk
from store.doctor import Examination, IndexHealth, examine
from store.errors import StoreError
from store.events import EventBus
from store.model import Observation, SearchResult, StoreStats
from store.operations import apply as applying
from store.operations import changes, journal
from store.operations.apply import Applied
from store.operations.plan import Plan
from store.recorder import Recorder
from store.search.highlight import Marks, marks, wanted
from store.search.index import Progress, SearchIndex, default_cache
from store.search.query import Query, parse_query
from store.search.searching import Answers
from store.search.totals import index_stats
from store.settings import Settings
from store.settings_files import given_settings, load_settings

if TYPE_CHECKING:
    from store.disk.door import Admitted
    from store.recall.values import Recall

Clock = Callable[[], datetime]
NewId = Callable[[str, int, datetime], str]


@dataclass(frozen=True, slots=True)
class StoreState:
    """What a screen says of the store: where, whether writable, how much, and what is wrong.

    `total` and `tokens` count the active observations; `notice` says where the index may lag.
    """

    path: Path
    writable: bool
    total: int
    tokens: int
    problems: tuple[Problem, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class OperationInfo:
    """One line of the history. `count` is the number of observations it touched."""

    id: str
    kind: str
    title: str
    timestamp: datetime
    undone: bool
    count: int


def open_memory(
    path: Path | str | None = None,
    *,
    cache: Path | None = None,
    settings: Settings | None = None,
    clock: Clock | None = None,
    new_id: NewId | None = None,
) -> MemoryPipeline:
    """Open a memory: a path to it or to its project, else the nearest above the working directory.

    A path that does not exist yet becomes a memory with its first write. `cache` is the folder
    for derived data (the user's cache folder by default). Raises `NoMemory`.
    """
    if path is None:
        folder = find_store(Path.cwd())
    else:
        given = Path(path).expanduser().absolute()
        folder = named_store(given) if given.exists() else given
    return MemoryPipeline(folder, cache=cache, settings=settings, clock=clock, new_id=new_id)


class MemoryPipeline:
    """Capture, search, recall and compaction over one store. Safe to share between threads."""

    def __init__(
        self,
        path: Path,
        *,
        cache: Path | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        new_id: NewId | None = None,
    ) -> None:
        self.path = path
        loaded = load_settings(path) if settings is None else given_settings(settings)
        self.settings = loaded.settings
        self.settings_sources = loaded.sources
        self.settings_mistakes = loaded.mistakes
        self.events = EventBus()
        self._clock = clock or (lambda: datetime.now(UTC))
        self._new_id = new_id
        self._store = JsonObservationStore(path, clock=self._clock, new_id=new_id)
        self._index = SearchIndex(path, cache or default_cache())
        self._recorder = Recorder(path, self.events, self._clock)
        self._opened = False
        self._unsettled: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Settle what was written. Never raises for derived files: the next write settles them."""
        if self._unsettled:
            self.settle()

    # -- writing ---------------------------------------------------------------------------------

    def store(self, observations: Sequence[Observation]) -> list[str]:
        """Keep observations; durable when this returns. Their ids, in order.

        Raises `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`, `PartlyStored`.
        """
        return list(self.store_report(observations).ids)

    def store_report(self, observations: Sequence[Observation]) -> StoreReport:
        """As `store`, and what was cut, cleaned or seen before."""
        started = self._clock()
        self._unsettled.update(item.issue_number for item in observations)
        report = self._store.store(observations)
        self._recorder.stored(report.stored, started)
        return report

    def settle(self) -> None:
        """Bring the index and the manifest in step with what was written."""
        issues, self._unsettled = self._unsettled, set()
        try:
            self._catch_up(None)
            with self._store.marking(self.path / MANIFEST):
                rebuilt = settle_manifest(self.path, issues, format_time(self._clock()))
        except StoreError as error:
            self._recorder.problem("lock-timeout", error.message)
            return
        if rebuilt:
            self._recorder.problem(
                "manifest-rebuilt", "manifest.json could not be read and was built anew."
            )

    # -- reading ---------------------------------------------------------------------------------

    def search(
        self,
        query: str = "",
        limit: int = 50,
        offset: int = 0,
        *,
        facets: bool = True,
        fresh: bool = True,
    ) -> SearchResult:
        """One page of what a query finds, and the facets of all of it. Never fails for the query.

        With `fresh=False` the files are not looked at first: for each key typed, where
        `refresh` runs beside it.
        """
        parsed = self.parse(query)
        answers = self._answers(fresh=fresh)
        return answers.search(
            parsed,
            self._clock(),
            timedelta(days=self.settings.stale_archive_after_days),
            limit=limit,
            offset=offset,
            facets=facets,
            notice=self._index.notice,
        )

    def parse(self, query: str) -> Query:
        """A query taken apart, for colouring it and saying what was understood."""
        return parse_query(query, self._clock())

    def marks(self, text: str, query: str, near: Sequence[tuple[str, str]] = ()) -> Marks:
        """Where the words of a query stand in a text: character ranges."""
        return marks(text, wanted(self.parse(query), near))

    def get(self, identifier: str, *, fresh: bool = True) -> Observation:
        """The observation with this id, or the only one whose id ends so.

        Raises `NotFound`, `AmbiguousId`.
        """
        return self._answers(fresh=fresh).get(identifier)

    def by_issue(self, issue: int) -> list[Observation]:
        """The observations of an issue, in the order of its file. Raises `InvalidObservation`."""
        return self._store.by_issue(check_issue(issue))

    def found_ids(self, query: str) -> list[str]:
        """The ids of all that a query finds exactly, in its order."""
        return self._answers(fresh=True).ids(
            self.parse(query), self._clock(), timedelta(days=self.settings.stale_archive_after_days)
        )

    def stats(self) -> StoreStats:
        """Totals over the records in issue files, archived flag or not."""
        return index_stats(self._searcher(), self._index.schema, size_on_disk(self.path))

    def refresh(self, progress: Progress | None = None) -> bool:
        """Catch up with the files, and settle what was written here; whether anything changed.

        `progress` is told the issues read so far, and all to read.
        """
        if self._unsettled:
            self.settle()
            return True
        return self._catch_up(progress)

    def state(self) -> StoreState:
        """What a screen says of the store, without looking at the files again."""
        stats = index_stats(self._searcher(fresh=False), self._index.schema, 0, active=True)
        folder = self.path if self.path.is_dir() else self.path.parent
        return StoreState(
            path=self.path,
            writable=os.access(folder, os.W_OK) or not folder.exists(),
            total=stats.total_observations,
            tokens=stats.total_tokens,
            problems=self._index.problems,
            notice=self._index.notice,
        )

    # -- operations: plan, apply, undo -----------------------------------------------------------

    def plan_add(self, observations: Sequence[Observation], kind: str = "add") -> Plan:
        """A plan that stores new observations. Raises `InvalidObservation`."""
        return changes.plan_add(observations, self._admit, kind)

    def plan_edit(
        self, identifiers: str | Sequence[str], fields: Mapping[str, Any], title: str = ""
    ) -> Plan:
        """A plan that sets fields of observations. Raises `NotFound`, `InvalidObservation`."""
        ids = self._whole_ids(identifiers)
        return changes.plan_edit(self._where(ids), list(ids), fields, title)

    def plan_remove(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that removes observations. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return changes.plan_remove(self._where(ids), list(ids))

    def plan_archive(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that moves observations to the archive. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return changes.plan_archive(self._where(ids), list(ids))

    def plan_restore(self, identifiers: str | Sequence[str]) -> Plan:
        """A plan that takes observations out of the archive. Raises `NotFound`."""
        ids = self._whole_ids(identifiers)
        return changes.plan_restore(self._where(ids), list(ids))

    def plan_undo(self, operation_id: str | None = None) -> Plan:
        """The plan that takes back the last operation, or a named one. Raises `NotFound`."""
        if operation_id is None:
            return applying.last_operation(self._store).plan.inverse()
        return journal.read_operation(self.path, operation_id).plan.inverse()

    def apply(self, plan: Plan) -> Applied:
        """Carry out a plan. Raises `Conflict` where nothing could be done, and write errors."""
        self._unsettled.update(_issues(plan))
        applied = applying.apply_plan(self._store, plan, self._clock())
        self._recorder.changed(plan.kind, plan, applied)
        return applied

    def undo(self, operation_id: str | None = None) -> Applied:
        """Take back the last operation, or a named one. Raises `NotFound`, `Conflict`."""
        plan = self.plan_undo(operation_id)
        self._unsettled.update(_issues(plan))
        applied = applying.undo_operation(self._store, operation_id, self._clock())
        self._recorder.changed("undo", plan, applied)
        return applied

    def history(self) -> list[OperationInfo]:
        """The operations of the last 30 days, newest first."""
        return [
            OperationInfo(
                item.id,
                item.plan.kind,
                item.plan.title,
                item.timestamp,
                bool(item.undone_by),
                len({change.id for change in item.plan.changes}),
            )
            for item in journal.operations(self.path)
        ]

    # -- recall ----------------------------------------------------------------------------------

    def recall(
        self,
        agent: str | None = None,
        issue: int | None = None,
        task: str | None = None,
        budget: int | None = None,
        profile: str | None = None,
        channel: str | None = None,
        pinned: Collection[str] = (),
        muted: Collection[str] = (),
        now: datetime | None = None,
        *,
        given: Collection[str] = (),
        fresh: bool = True,
    ) -> Recall:
        """What would be put in front of a session, and why. Changes nothing.

        None means any agent, any issue. `budget` is in tokens for the whole text; `pinned` and
        `muted` are ids that win over the records' own marks; `given` are ids the session was told
        already. Raises `InvalidObservation` for an unknown profile or channel.
        """
        from store.recall.candidates import Offers
        from store.recall.plan import recall
        from store.recall.values import Situation, channel_named

        situation = Situation(
            now=now or self._clock(),
            agent=agent,
            issue=None if issue is None else check_issue(issue),
            task=task or "",
            pinned=frozenset(pinned),
            muted=frozenset(muted),
            given=frozenset(given),
        )
        limit = self.settings.max_tokens if budget is None else budget
        if not self.settings.enabled:
            limit = 0
        return recall(
            Offers(self._searcher(fresh=fresh), self._index.schema),
            situation,
            budget=limit,
            profile=profile,
            channel=channel_named(channel),
        )

    def inject(self, recall: Recall, agent: str | None = None, issue: int | None = None) -> str:
        """Carry out a recall: its text, recorded in the activity log and kept by its hash.

        Where recording fails, the text is still returned.
        """
        if recall.text:
            self._recorder.recalled(
                recall.text,
                [candidate.observation.id for candidate in recall.included],
                agent=agent or "",
                issue=issue or 0,
                tokens=recall.tokens,
                started=self._clock(),
                details={"profile": recall.profile, "channel": str(recall.channel)},
            )
        return recall.text

    def inject_memory(self, agent: str | None, issue: int | None, context: str = "") -> str:
        """Recall for an agent and an issue, with the task's text, and record it (SPEC-29 §3.1)."""
        return self.inject(self.recall(agent, issue, context), agent, issue)

    def injected_text(self, name: str) -> str:
        """What a session was told, byte for byte, by the hash in the log. Raises `NotFound`."""
        return self._recorder.text_of(name)

    # -- health ----------------------------------------------------------------------------------

    def examine(self) -> Examination:
        """What is wrong with the store, and what would mend it. Changes nothing."""
        searcher = self._searcher()
        health = IndexHealth(searcher.num_docs, searcher.num_segments, self._index.in_memory)
        return examine(self.path, self._clock(), health)

    def repair(self, examination: Examination) -> Applied:
        """Carry out the repair of an examination: an operation that `undo` takes back."""
        applied = self.apply(examination.plan)
        if examination.rebuild_manifest:
            self._unsettled.update(list_issues(self.path).values())
        if examination.rebuild_index:
            self._index.rebuild()
        self.settle()
        return applied

    # -- inside ----------------------------------------------------------------------------------

    def _catch_up(self, progress: Progress | None) -> bool:
        changed = self._index.catch_up(progress)
        self._opened = True
        return changed

    def _searcher(self, *, fresh: bool = True) -> Any:  # noqa: ANN401 - tantivy's
        if fresh or not self._opened:
            self._catch_up(None)
        return self._index.searcher

    def _answers(self, *, fresh: bool) -> Answers:
        return Answers(self._searcher(fresh=fresh), self._index.schema)

    def _admit(self, observation: Observation) -> Admitted:
        from store.disk.door import admit, make_id

        return admit(observation, self._clock(), self._new_id or make_id)

    def _whole_ids(self, identifiers: str | Sequence[str]) -> dict[str, int]:
        """The whole ids of those given, which may be endings, and the issue of each."""
        given = [identifiers] if isinstance(identifiers, str) else identifiers
        answers = self._answers(fresh=True)
        found = (answers.get(identifier) for identifier in given)
        return {observation.id: observation.issue_number for observation in found}

    def _where(self, ids: Mapping[str, int]) -> changes.Where:
        return {issue: read_issue(self.path, issue) for issue in sorted(set(ids.values()))}


def _issues(plan: Plan) -> set[int]:
    moved = (issue_of(name) for move in plan.moves for name in (move.source, move.target))
    return {change.issue for change in plan.changes} | {n for n in moved if n is not None}
