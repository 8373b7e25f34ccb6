"""New observations: stored, durable when that returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from store.errors import StoreError
from store.model import Observation

if TYPE_CHECKING:
    from store.operations.batch import StoreReport
    from store.operations.tombstones import Tombstones
    from store.pipeline.current_index import CurrentIndex
    from store.pipeline.opened_store import OpenedStore

Refuses = Callable[["Tombstones", Observation], bool]
"""Whether, by the tombstones, an observation may not be stored."""


class Additions:
    """Adds observations, as operations that can be undone."""

    def __init__(self, opened: OpenedStore, index: CurrentIndex) -> None:
        self._backend = opened.backend
        self._clock = opened.clock
        self._recorder = opened.recorder
        self._prepare = opened.prepare
        self._current = index

    def store(self, observations: Sequence[Observation]) -> list[str]:
        """Store observations and return their ids, in order; durable when this returns.

        Raises `InvalidObservation`, `LockTimeout`, `ReadOnly`, `WriteFailed`, `PartlyStored`.
        """
        return list(self.store_report(observations).ids)

    def store_report(self, observations: Sequence[Observation]) -> StoreReport:
        """As `store`; reports also what was cut, redacted or already stored."""
        return self.store_as("add", observations)

    def store_for(self, agent: str, observations: Sequence[Observation]) -> StoreReport:
        """As `store_report` for an agent, which brings back nothing that others removed."""
        return self.store_as("add", observations, lambda stones, it: stones.refuses(it, agent))

    def store_as(
        self,
        kind: str,
        observations: Sequence[Observation],
        refuses: Refuses | None = None,
    ) -> StoreReport:
        """Store observations as an operation of a kind, which can be undone.

        `refuses` says what of it may not come back, by the tombstones. Without it somebody asks for
        it by name: what was removed is wanted again.
        """
        from store.operations.batch import PartlyStored
        from store.operations.tombstones import lift

        refused = self._refused(observations, refuses) if refuses else set()
        wanted = [it for at, it in enumerate(observations) if at not in refused]
        try:
            report = self._store(kind, wanted)
        except PartlyStored as error:
            error.report = error.report.among(refused)
            raise
        if report.stored:
            lift(self._backend, (it.content for it in report.stored))
        return report.among(refused)

    def _refused(self, observations: Sequence[Observation], refuses: Refuses) -> set[int]:
        """The places of those that may not come back, as they would be stored."""
        from store.operations.tombstones import Tombstones

        stones = Tombstones.of(self._backend)
        if not stones:
            return set()
        cleaned = (self._prepare(it).observation for it in observations)
        return {at for at, it in enumerate(cleaned) if refuses(stones, it)}

    def _store(self, kind: str, observations: Sequence[Observation]) -> StoreReport:
        from store.operations.batch import PartlyStored, store_batch

        self._check_free(observations)
        started = self._clock()
        issues = [item.issue_number for item in observations]
        partly: PartlyStored | None = None
        with self._backend.together():
            try:
                report = store_batch(self._backend, observations, self._prepare)
            except PartlyStored as error:
                partly, report = error, error.report
            for item in report.stored:  # while a database still writes them
                self._current.outgoing.know(item)
            report = replace(report, operation_id=self._kept(kind, report.stored))
        self._current.wrote(issues)
        self._recorder.stored(report.stored, started, report.operation_id)
        if partly is not None:
            partly.report = report
            raise partly
        return report

    def _check_free(self, observations: Sequence[Observation]) -> None:
        """Raise `IdTaken` where a given id is another issue's, or given for two. Ours are never."""
        from store.operations.batch import IdTaken

        given: dict[str, int] = {}
        for it in observations:
            if it.id and given.setdefault(it.id, it.issue_number) != it.issue_number:
                raise IdTaken(it.id, given[it.id])
        if self._backend.finds_ids:
            return
        for identifier, issue in self._current.issues_of(given).items():
            if issue != given[identifier]:
                raise IdTaken(identifier, issue)

    def _kept(self, kind: str, stored: Sequence[Observation]) -> str:
        """Keep what was stored in the history; its id, empty where there is none.

        Where that fails, it is told, since it is stored all the same.
        """
        from store.operations.apply import keep_done
        from store.operations.changes import added

        if not stored:
            return ""
        try:
            return keep_done(self._backend, added(stored, kind), self._clock())
        except StoreError as error:
            self._recorder.problem("not-recorded", error.message)
            return ""
